import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../engine/model/errors.ts'
import type { AskedQuery, ThreadMessage } from './pglite-thread.ts'
import type { Notification, PostgresResult } from './postgres.ts'

/** A database on a thread of its own, so that its queries, or a database that hangs, do not stop this one. */
export type ThreadedDatabase = {
  /** @throws errors of SQL, with `code` and `severity`; any other error means that the database is lost */
  query: (text: string, values?: unknown[]) => Promise<PostgresResult>
  /** Closes the database, or ends the thread if it takes too long. */
  close: () => Promise<void>
}

/** PGlite takes about a second to start, and some milliseconds for a query. A full disk can stop it for ever. */
const START_MAX_MS = 60_000
const QUERY_MAX_MS = 60_000
const CLOSE_MAX_MS = 1500

const THREAD = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../dist/worker/queue/pglite-thread.js' : './pglite-thread.js',
    import.meta.url,
  ),
)

type Waiting = { resolve: (result: PostgresResult) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }

/** A thread, and the queries that wait for its answers, by their ids; `lost` is why it no longer answers. */
type Thread = { worker: Worker; waiting: Map<number, Waiting>; lost: Error | null; lastId: number }

/** Opens the database in these files. @throws ServiceError queue_away if it does not open within START_MAX_MS */
export async function openThreaded(
  files: string,
  onNotification: (notification: Notification) => void,
): Promise<ThreadedDatabase> {
  const worker = new Worker(THREAD, { workerData: { files } })
  const thread: Thread = { worker, waiting: new Map(), lost: null, lastId: 0 }
  const exited = once(worker, 'exit').catch(() => undefined)
  worker.on('error', (error: Error) => lose(thread, error))
  worker.once('exit', () => lose(thread, new ServiceError('queue_away', 'the embedded queue has ended')))
  worker.on('message', (said: ThreadMessage) => {
    if ('notification' in said) onNotification(said.notification)
    else settle(thread, said)
  })
  try {
    await answerOf(thread, 0, 'the start of the embedded queue', START_MAX_MS)
  } catch (error) {
    await worker.terminate()
    throw error
  }
  return {
    query: async (text, values) => {
      if (thread.lost !== null) throw thread.lost
      const id = ++thread.lastId
      const answer = answerOf(thread, id, 'the embedded queue', QUERY_MAX_MS)
      worker.postMessage({ id, text, values } satisfies AskedQuery)
      return answer
    },
    close: async () => {
      worker.postMessage('close' satisfies AskedQuery)
      const timer = setTimeout(() => void worker.terminate(), CLOSE_MAX_MS)
      await exited
      clearTimeout(timer)
    },
  }
}

/** Waits for the answer to a query; without one in time, the thread is lost. */
function answerOf(thread: Thread, id: number, what: string, mostMs: number): Promise<PostgresResult> {
  return new Promise((resolve, reject) => {
    const rule = `${what} did not answer within ${mostMs / 1000} s`
    const timer = setTimeout(() => lose(thread, new ServiceError('queue_away', rule)), mostMs)
    thread.waiting.set(id, { resolve, reject, timer })
  })
}

function settle({ waiting }: Thread, said: Exclude<ThreadMessage, { notification: Notification }>): void {
  const asked = waiting.get(said.id)
  waiting.delete(said.id)
  clearTimeout(asked?.timer)
  if ('rows' in said) asked?.resolve({ rows: said.rows })
  else asked?.reject(Object.assign(new Error(said.failed.message), said.failed))
}

/** Ends a thread that failed, and with it all queries. */
function lose(thread: Thread, error: Error): void {
  thread.lost ??= error
  for (const { reject, timer } of thread.waiting.values()) {
    clearTimeout(timer)
    reject(error)
  }
  thread.waiting.clear()
  void thread.worker.terminate()
}
