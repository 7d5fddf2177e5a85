import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { runMigrations } from 'bullmq'
import { type QueryResult, SCHEMA } from './postgres.ts'

/** Opens the database of the embedded queue on this thread, which each query blocks. */
export async function openDatabase(files: string): Promise<PGlite> {
  const database = await createDatabase(files)
  await closeToOthers(files)
  await database.exec(`SET search_path TO ${SCHEMA}`)
  // No other process can run these jobs: any earlier one is dead, so the sweep need not wait for its locks to expire.
  await database.exec(`DELETE FROM job WHERE state = 'active'`)
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

/** Creates the database, or opens the one that exists, with BullMQ's schema. */
export async function createDatabase(files: string): Promise<PGlite> {
  // With nothing else to do, Node 20 would wait for V8 to optimize PGlite's code.
  const underWay = setInterval(() => {}, 1000)
  const database = await PGlite.create(files, { startParams: START_PARAMS }).finally(() => clearInterval(underWay))
  const migrator = { query: (text: string, values?: readonly unknown[]) => runQuery(database, text, values) }
  await runMigrations(migrator as Parameters<typeof runMigrations>[0], SCHEMA)
  return database
}

/**
 * Runs SQL as pg does: without values, the text may hold several statements, and the rows of the last one are returned.
 */
export async function runQuery(database: PGlite, text: string, values?: readonly unknown[]): Promise<QueryResult> {
  if (values !== undefined) return database.query<Record<string, unknown>>(text, [...values])
  return (await database.exec(text)).at(-1) ?? { rows: [] }
}
