import { parentPort, workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { openDatabase, runQuery } from './pglite.ts'
import { type PlainFault, toldOf } from './pglite-faults.ts'
import type { Notification } from './postgres.ts'

/** Message to a thread: a query, or to close the database and end. */
export type AskedQuery = { id: number; text: string; values?: unknown[] } | 'close'

/** Message of a thread. The id of the start is 0. An error is plain data, since its fields would not cross threads. */
export type ThreadMessage =
  | { id: number; rows: Record<string, unknown>[] }
  | { id: number; failed: PlainFault }
  | { notification: Notification }

const port = parentPort!
const say = (said: ThreadMessage) => port.postMessage(said)

async function answer(id: number, work: () => Promise<Record<string, unknown>[]>): Promise<void> {
  try {
    say({ id, rows: await work() })
  } catch (error) {
    say({ id, failed: toldOf(error) })
  }
}

function serve(database: PGlite): void {
  database.onNotification((channel, payload) => say({ notification: { channel, payload } }))
  port.on('message', async (asked: AskedQuery) => {
    if (asked !== 'close')
      return answer(asked.id, async () => (await runQuery(database, asked.text, asked.values)).rows)
    await database.close().catch(() => undefined)
    port.close()
  })
}

await answer(0, async () => {
  serve(await openDatabase(workerData.files))
  return []
})
