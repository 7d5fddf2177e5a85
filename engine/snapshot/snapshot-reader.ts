import { basename } from 'node:path'
import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { isShortage } from '../files/durable.ts'
import { ServiceError } from '../model/errors.ts'
import { type DuckDb, openDuckDb } from './duckdb.ts'

/** What DuckDB may take for reading; a row group of samples takes a few MiB. */
const MEMORY_MIB = 256

/** By the directory that each may read. */
const readers = new LRUCache<string, Promise<DuckDb>>({
  max: 4,
  dispose: (opening) => void opening.then(closeWhenIdle).catch(() => undefined),
})
const running = new Map<DuckDb, number>()
const evicted = new Set<DuckDb>()

/** The file that a query reads, and what else its text names. */
export type QueryValues = { path: string } & Record<string, DuckDBValue>

/**
 * Runs a query over a file of a snapshot, on this thread's own DuckDB, with one thread.
 *
 * @param root the directory of all studies: nothing outside can be read
 * @param sql constant text; everything else is a bound value
 * @param read takes from the result what is wanted of it: its memory is DuckDB's
 * @throws ServiceError overloaded when the system has too little for it at the moment, corrupt when the file cannot be read
 */
export async function query<T>(
  root: string,
  sql: string,
  values: QueryValues,
  read: (result: DuckDBMaterializedResult) => T,
): Promise<T> {
  try {
    const reader = await readerOf(root)
    return await onConnection(reader, async (connection) => read(await connection.run(sql, values)))
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (isShortage(error)) throw new ServiceError('overloaded', 'too little to read a study with', { cause: error })
    throw new ServiceError('corrupt', `${basename(values.path)} cannot be read`, { cause: error })
  }
}

/** Returns all rows of a query, for queries with few rows. @throws as `query` */
export function queryRows(root: string, sql: string, values: QueryValues): Promise<DuckDBValue[][]> {
  return query(root, sql, values, (result) =>
    Array.from({ length: result.chunkCount }, (_, c) => result.getChunk(c).getRows()).flat(),
  )
}

/** Runs whole queries: a result that is streamed may end early without an error. */
async function onConnection<T>(reader: DuckDb, run: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  running.set(reader, (running.get(reader) ?? 0) + 1)
  const connection = await reader.connect()
  try {
    return await run(connection)
  } finally {
    reader.disconnect(connection)
    running.set(reader, running.get(reader)! - 1)
    if (evicted.has(reader)) closeWhenIdle(reader)
  }
}

function closeWhenIdle(reader: DuckDb): void {
  evicted.add(reader)
  if ((running.get(reader) ?? 0) > 0) return
  evicted.delete(reader)
  running.delete(reader)
  reader.close()
}

function readerOf(root: string): Promise<DuckDb> {
  const known = readers.get(root)
  if (known) return known
  const opening = openDuckDb({ directories: [root], threads: 1, memoryMib: MEMORY_MIB })
  readers.set(root, opening)
  // What could not be opened is tried again.
  opening.catch(() => readers.delete(root))
  return opening
}
