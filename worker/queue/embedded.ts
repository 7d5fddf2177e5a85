import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'bullmq'
import { ServiceError } from '../../engine/model/errors.ts'
import { makeDirectory, syncFile } from '../../engine/storage/files/durable.ts'
import { holderText, takeLock } from '../../engine/storage/files/lock.ts'
import { type ClientLike, type Notification, type PoolLike, type QueueDatabase, SCHEMA } from './postgres.ts'
import { openThreaded, type ThreadedDatabase } from './threaded-pglite.ts'

const REOPEN_EVERY_MS = 2000
const FAILURE_TAKES_MS = 200

/**
 * Starts PostgreSQL inside this process (PGlite, on a thread of its own), on files, with the interface of a pg.Pool for
 * BullMQ. PGlite has one session, which all its "clients" share: it runs one query at a time to its end, and every
 * notification goes to all clients. BullMQ needs no more, so there is no socket and no wire protocol, in which
 * statements of several clients would interfere. The queue is disposable: a database that does not open, or that breaks
 * on a full disk, is deleted and recreated, and the sweep queues its jobs again.
 *
 * @param directory for the queue only; created if necessary
 * @param onError called with the error of a database that had to be deleted
 * @throws ServiceError busy if another process holds the directory
 */
export async function startEmbeddedQueue(directory: string, onError: (error: Error) => void): Promise<QueueDatabase> {
  // Without the lock, two processes would both open the files, and neither would notice.
  const lockPath = join(directory, 'lock')
  const lock = await takeLock(lockPath)
  if (lock === null)
    throw new ServiceError(
      'busy',
      `another gazette start${await holderText(lockPath)} runs on the data directory ${dirname(directory)}: stop it, or name another by --data`,
    )
  const clients = new Set<EventEmitter>()
  const database = await openReplaceable(join(directory, 'pg'), clients, onError).catch(async (error) => {
    await lock.release()
    throw error
  })
  const { query } = database
  const connect = async (): Promise<ClientLike> => {
    const client = Object.assign(new EventEmitter(), { query, release: () => clients.delete(client) })
    clients.add(client)
    return client
  }
  const pool = { options: { keepAlive: true }, query, connect, end: async () => undefined }
  return {
    pool: Object.assign(new EventEmitter(), pool),
    close: async () => {
      await database.close()
      await lock.release()
    },
  }
}

type Replaceable = { query: PoolLike['query']; close: () => Promise<void> }

/** Opens a database, again and again. @param onFault told of each fault; what it throws ends the tries */
async function untilItOpens<T>(open: () => Promise<T>, onFault: (error: Error) => void): Promise<T> {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      onFault(error as Error)
      await sleep(REOPEN_EVERY_MS)
    }
  }
}

/** Opens a new database in place of these files: of the template, or from nothing. */
async function openFresh(
  files: string,
  notify: (notification: Notification) => void,
  unpacks: boolean,
): Promise<ThreadedDatabase> {
  await rm(files, { recursive: true, force: true })
  if (unpacks) await unpackTemplate(files)
  return openMigrated(files, notify)
}

/**
 * Opens the database on these files. If it breaks, it is recreated, and callers wait meanwhile.
 *
 * @param clients get notifications, and an error when the session in which they listened is gone
 */
async function openReplaceable(
  files: string,
  clients: Set<EventEmitter>,
  onError: (error: Error) => void,
): Promise<Replaceable> {
  const notify = (notification: Notification) => {
    for (const client of clients) client.emit('notification', notification)
  }
  const openAnew = () => openFresh(files, notify, true).catch(() => openFresh(files, notify, false))
  let database: Promise<ThreadedDatabase> = unpackTemplate(files)
    .then(() => openMigrated(files, notify))
    .catch((error) => {
      onError(error)
      return openAnew()
    })
  let closing = false
  /** Fault for which it cannot be recreated at the moment. */
  let fault: Error | null = null
  await database

  async function replace(broken: ThreadedDatabase): Promise<ThreadedDatabase> {
    await broken.close().catch(() => undefined)
    const fresh = await untilItOpens(openAnew, (error) => {
      if (closing) throw error
      fault = error
      onError(error)
    })
    fault = null
    for (const client of clients) client.emit('error', new Error('the embedded queue was recreated'))
    return fresh
  }

  return {
    query: async (text, values) => {
      if (fault !== null) {
        await sleep(FAILURE_TAKES_MS)
        throw fault
      }
      const asked = database
      const current = await asked
      try {
        return await current.query(text, values)
      } catch (error) {
        if (isSqlError(error) || closing) throw error
        if (asked === database) {
          onError(error as Error)
          database = replace(current)
          database.catch(() => undefined)
        }
        await sleep(FAILURE_TAKES_MS)
        throw error
      }
    },
    close: async () => {
      closing = true
      await (await database.catch(() => null))?.close().catch(onError)
    },
  }
}

/** Opens the database with BullMQ's schema. Migrated from here, where BullMQ is loaded: its thread starts sooner. */
async function openMigrated(
  files: string,
  onNotification: (notification: Notification) => void,
): Promise<ThreadedDatabase> {
  const database = await openThreaded(files, onNotification)
  try {
    await runMigrations(database as Parameters<typeof runMigrations>[0], SCHEMA)
    await database.query(`SET search_path TO ${SCHEMA}`)
    // No other process can run these jobs: any earlier one is dead, so the sweep need not wait for its locks to expire.
    await database.query(`DELETE FROM job WHERE state = 'active'`)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** Databases that PostgreSQL would copy for a new one: two thirds of the files. */
const NEVER_COPIED = ['template0', 'template1']

/**
 * Template of the database, created by the build, since a new database takes seconds. It is one packed file, since npm
 * leaves out empty folders, which PostgreSQL needs. It lies beside this file, also when that runs as TypeScript.
 */
const TEMPLATE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/worker/queue/template.tgz' : './template.tgz', import.meta.url),
)

const HALF = `${TEMPLATE}.half`

/** Creates the template, for the build. */
export async function makeTemplate(): Promise<void> {
  const { create } = await import('tar')
  await makeDirectory(dirname(TEMPLATE))
  await rm(HALF, { recursive: true, force: true })
  const database = await openMigrated(HALF, () => {})
  for (const name of NEVER_COPIED) {
    await database.query(`ALTER DATABASE ${name} IS_TEMPLATE false`)
    await database.query(`DROP DATABASE ${name}`)
  }
  await database.close()
  await create({ file: `${HALF}.tgz`, cwd: HALF, gzip: true, portable: true }, ['.'])
  await rm(HALF, { recursive: true })
  // The stamp of the build may outlive a loss of power that this does not.
  await syncFile(`${HALF}.tgz`)
  await rename(`${HALF}.tgz`, TEMPLATE)
}

/** Unpacks the template, if there is one, unless a database exists. */
async function unpackTemplate(files: string): Promise<void> {
  if (existsSync(files) || !existsSync(TEMPLATE)) return
  const half = `${files}.half`
  await rm(half, { recursive: true, force: true })
  await makeDirectory(half)
  const { extract } = await import('tar')
  // A thousand small files: one after the other takes half of the time, and nothing else is served yet.
  extract({ file: TEMPLATE, cwd: half, strict: true, sync: true, noMtime: true })
  await rename(half, files)
}

/** Error codes of missing or damaged files. A full disk is not one of them, since it is transient. */
const SPOILT = /^(58...|XX001|XX002)$/

/** Returns whether a statement failed, as opposed to the database. */
function isSqlError(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && severity === 'ERROR' && !SPOILT.test(code)
}
