import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Asked, Said } from './pglite-thread.ts'
import type { Notification, QueryResult } from './postgres.ts'

/** A database on a thread of its own, so that its queries, or a database that hangs, do not stop this one. */
export type ThreadedDatabase = {
  /** @throws errors of SQL, with `code` and `severity`; any other error means that the database is lost */
  query: (text: string, values?: unknown[]) => Promise<QueryResult>
  /** Closes the database, or ends the thread if it takes too long. */
  close: () => Promise<void>
}

/** PGlite takes about a second to start, and some milliseconds for a query. A full disk can stop it for ever. */
const START_MAX_MS = 30_000
const QUERY_MAX_MS = 60_000
const CLOSE_MAX_MS = 1500

const THREAD = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../dist/worker/queue/pglite-thread.js' : './pglite-thread.js',
    import.meta.url,
  ),
)

type Waiting = { resolve: (result: QueryResult) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }

/**
 * Opens the database in these files.
 *
 * @throws ServiceError queue_away if it does not open within START_MAX_MS
 */
export async function openThreaded(
  files: string,
  onNotification: (notification: Notification) => void,
): Promise<ThreadedDatabase> {
  const worker = new Worker(THREAD, { workerData: { files } })
  const waiting = new Map<number, Waiting>()
  const exited = once(worker, 'exit').catch(() => undefined)
  let lost: Error | null = null
  let lastId = 0

  function lose(error: Error): void {
    lost ??= error
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer)
      reject(error)
    }
    waiting.clear()
    void worker.terminate()
  }

  function answerOf(id: number, what: string, mostMs: number): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      const rule = `${what} did not answer within ${mostMs / 1000} s`
      const timer = setTimeout(() => lose(new ServiceError('queue_away', rule)), mostMs)
      waiting.set(id, { resolve, reject, timer })
    })
  }

  worker.on('error', lose)
  worker.once('exit', () => lose(new ServiceError('queue_away', 'the embedded queue has ended')))
  worker.on('message', (said: Said) => {
    if ('notification' in said) return onNotification(said.notification)
    const asked = waiting.get(said.id)
    waiting.delete(said.id)
    clearTimeout(asked?.timer)
    if ('rows' in said) asked?.resolve({ rows: said.rows })
    else asked?.reject(Object.assign(new Error(said.failed.message), said.failed))
  })

  const close = async () => {
    worker.postMessage('close' satisfies Asked)
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MAX_MS)
    await exited
    clearTimeout(timer)
  }
  try {
    await answerOf(0, 'the start of the embedded queue', START_MAX_MS)
  } catch (error) {
    await worker.terminate()
    throw error
  }
  return {
    query: async (text, values) => {
      if (lost !== null) throw lost
      const id = ++lastId
      const answer = answerOf(id, 'the embedded queue', QUERY_MAX_MS)
      worker.postMessage({ id, text, values } satisfies Asked)
      return answer
    },
    close,
  }
}
