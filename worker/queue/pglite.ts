import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { PostgresResult } from './postgres.ts'

/** Opens the database in these files, or creates it, on this thread, which each query blocks. */
export async function openDatabase(files: string): Promise<PGlite> {
  // With nothing else to do, Node 20 would wait for V8 to optimize PGlite's code.
  const underWay = setInterval(() => {}, 1000)
  const database = await PGlite.create(files, { startParams: START_PARAMS }).finally(() => clearInterval(underWay))
  await closeToOthers(files)
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

/**
 * Runs SQL as pg does: without values, the text may hold several statements, and the rows of the last one are returned.
 */
export async function runQuery(database: PGlite, text: string, values?: readonly unknown[]): Promise<PostgresResult> {
  if (values !== undefined) return database.query<Record<string, unknown>>(text, [...values])
  return (await database.exec(text)).at(-1) ?? { rows: [] }
}
