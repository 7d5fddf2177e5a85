import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'bullmq'
import pg from 'pg'
import { isCode } from '../../engine/model/system-errors.ts'

/** The part of a pg.Pool that BullMQ's PostgreSQL back end uses. */
export type PoolLike = EventEmitter & {
  options: { keepAlive: boolean }
  query: (text: string, values?: unknown[]) => Promise<PostgresResult>
  connect: () => Promise<ClientLike>
  end: () => Promise<void>
}
export type ClientLike = EventEmitter & {
  query: (text: string, values?: unknown[]) => Promise<PostgresResult>
  release: (destroy?: boolean) => void
}
/** Event `notification` of a client that listens. */
export type Notification = { channel: string; payload: string }
export type PostgresResult = { rows: Record<string, unknown>[] }

/** A database for BullMQ. Call `close` after closing the queue and the workers. */
export type QueueDatabase = { pool: PoolLike; close: () => Promise<void> }

/** Schema of BullMQ's tables, under BullMQ's default name. */
export const SCHEMA = 'bullmq'
const CONNECTIONS = 10
const RETRY_EVERY_MS = 1000
/** Back-off: BullMQ retries at once after some failures, and would busy-loop while the server is unavailable. */
const FAILURE_TAKES_MS = 200
/** Error codes for an undefined table, function or schema. */
const NO_SCHEMA = ['42P01', '42883', '3F000']

/**
 * Connects BullMQ to a PostgreSQL server. `connect` waits for the server without a timeout and first migrates BullMQ's
 * schema, since BullMQ treats a first connection that failed as failed for good. Queries do not wait: they fail while
 * the server is unavailable.
 *
 * @param url postgres://…
 * @param onError called with errors of idle connections, and while `connect` waits
 */
export function openPostgres(url: string, onError: (error: Error) => void): QueueDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    keepAlive: true,
    connectionTimeoutMillis: 2000,
    options: `-c search_path=${SCHEMA}`,
  })
  pool.on('error', onError)
  // The pool only reports errors of idle connections: one that BullMQ holds between two queries would end the process
  // when the server stops.
  pool.on('connect', (client) => client.on('error', onError))
  let migrated = false
  let closing = false

  const connect = async (): Promise<ClientLike> => {
    for (;;) {
      let client: pg.PoolClient | undefined
      try {
        client = await pool.connect()
        if (!migrated) await runMigrations(client, SCHEMA)
        migrated = true
        return client as unknown as ClientLike
      } catch (error) {
        client?.release(true)
        if (closing) throw error
        onError(error as Error)
        await sleep(RETRY_EVERY_MS)
      }
    }
  }
  const query: PoolLike['query'] = async (text, values) => {
    try {
      return await pool.query(text, values)
    } catch (error) {
      // The server came back empty: the queue is disposable.
      if (isCode(error, ...NO_SCHEMA) && migrated) {
        migrated = false
        connect().then((client) => client.release(), onError)
      }
      await sleep(FAILURE_TAKES_MS)
      throw error
    }
  }
  const close = async () => {
    closing = true
    await pool.end()
  }
  return {
    pool: Object.assign(new EventEmitter(), {
      options: { keepAlive: true },
      query,
      connect,
      end: async () => undefined,
    }),
    close,
  }
}
