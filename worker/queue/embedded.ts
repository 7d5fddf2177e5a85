import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { runMigrations } from 'bullmq'
import { ServiceError } from '../../engine/model/errors.ts'
import { holderText, takeLock } from '../../engine/storage/files/lock.ts'
import { type ClientLike, type PoolLike, type QueryResult, type QueueDatabase, SCHEMA } from './postgres.ts'

const REOPEN_EVERY_MS = 2000
const FAILURE_TAKES_MS = 200

/**
 * Starts PostgreSQL inside this process (PGlite), on files, with the interface of a pg.Pool for BullMQ. PGlite has one
 * session, which all its "clients" share: it runs one query at a time to its end, and every notification goes to all
 * clients. BullMQ needs no more, so there is no socket and no wire protocol, in which statements of several clients
 * would interfere. The queue is disposable: a database that does not open, or that breaks on a full disk, is deleted
 * and recreated, and the sweep queues its jobs again.
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
  const openFresh = async (unpacks: boolean): Promise<PGlite> => {
    await rm(files, { recursive: true, force: true })
    if (unpacks) await unpackTemplate(files)
    return openDatabase(files, clients)
  }
  const openAnew = () => openFresh(true).catch(() => openFresh(false))
  let database: Promise<PGlite> = unpackTemplate(files)
    .then(() => openDatabase(files, clients))
    .catch((error) => {
      onError(error)
      return openAnew()
    })
  let closing = false
  await database

  async function replace(broken: PGlite): Promise<PGlite> {
    await broken.close().catch(() => undefined)
    for (;;) {
      try {
        const fresh = await openAnew()
        for (const client of clients) client.emit('error', new Error('the embedded queue was recreated'))
        return fresh
      } catch (error) {
        if (closing) throw error
        onError(error as Error)
        await sleep(REOPEN_EVERY_MS)
      }
    }
  }

  return {
    query: async (text, values) => {
      const asked = database
      const current = await asked
      try {
        return await run(current, text, values)
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

async function openDatabase(files: string, clients: Set<EventEmitter>): Promise<PGlite> {
  const database = await createDatabase(files)
  await closeToOthers(files)
  await database.exec(`SET search_path TO ${SCHEMA}`)
  // No other process can run these jobs: any earlier one is dead, so the sweep need not wait for its locks to expire.
  await database.exec(`DELETE FROM job WHERE state = 'active'`)
  database.onNotification((channel, payload) => {
    for (const client of clients) client.emit('notification', { channel, payload })
  })
  return database
}

/** Removes the permissions that PGlite and the template give to others on files, whatever the umask. */
async function closeToOthers(files: string): Promise<void> {
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const found = await stat(path).catch(() => null)
    if (found !== null && (found.mode & 0o077) !== 0) await chmod(path, found.mode & 0o700)
  }
}

/** Settings for a small queue: PostgreSQL's default of 128 MB would take that memory, and time to start. */
const START_PARAMS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB']

async function createDatabase(files: string): Promise<PGlite> {
  // With nothing else to do, Node 20 would wait for V8 to optimize PGlite's code.
  const underWay = setInterval(() => {}, 1000)
  const database = await PGlite.create(files, { startParams: START_PARAMS }).finally(() => clearInterval(underWay))
  const migrator = { query: (text: string, values?: readonly unknown[]) => run(database, text, values) }
  await runMigrations(migrator as Parameters<typeof runMigrations>[0], SCHEMA)
  return database
}

/**
 * Template of the database, created by the build, since a new database takes seconds. It is one packed file, since npm
 * leaves out empty folders, which PostgreSQL needs. It lies beside this file, also when that runs as TypeScript.
 */
const TEMPLATE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/worker/template.tgz' : './template.tgz', import.meta.url),
)

const HALF = `${TEMPLATE}.half`

/** Creates the template, for the build. */
export async function makeTemplate(): Promise<void> {
  const { create } = await import('tar')
  await mkdir(dirname(TEMPLATE), { recursive: true })
  await rm(HALF, { recursive: true, force: true })
  await (await createDatabase(HALF)).close()
  await create({ file: `${HALF}.tgz`, cwd: HALF, gzip: { level: 9 }, portable: true }, ['.'])
  await rm(HALF, { recursive: true })
  await rename(`${HALF}.tgz`, TEMPLATE)
}

/** Unpacks the template, if there is one, unless a database exists. */
async function unpackTemplate(files: string): Promise<void> {
  if (existsSync(files) || !existsSync(TEMPLATE)) return
  const half = `${files}.half`
  await rm(half, { recursive: true, force: true })
  await mkdir(half, { recursive: true })
  const { extract } = await import('tar')
  // A thousand small files: one after the other takes half of the time, and nothing else is served yet.
  extract({ file: TEMPLATE, cwd: half, strict: true, sync: true, noMtime: true })
  await rename(half, files)
}

/**
 * Runs SQL as pg does: without values, the text may hold several statements, and the rows of the last one are returned.
 */
async function run(database: PGlite, text: string, values?: readonly unknown[]): Promise<QueryResult> {
  if (values !== undefined) return database.query<Record<string, unknown>>(text, [...values])
  return (await database.exec(text)).at(-1) ?? { rows: [] }
}

/** Error codes of missing or damaged files. A full disk is not one of them, since it is transient. */
const SPOILT = /^(58...|XX001|XX002)$/

/** Returns whether a statement failed, as opposed to the database. */
function isSqlError(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && severity === 'ERROR' && !SPOILT.test(code)
}
