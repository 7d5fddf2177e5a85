import { basename } from 'node:path'
import type {
  DuckDBConnection,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBValue,
} from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { isShortage } from '../files/durable.ts'
import { ServiceError } from '../model/errors.ts'
import { type DuckDb, LIST, openDuckDb, SQLNULL } from './duckdb.ts'

/** Memory limit of DuckDB for reading; a row group of samples takes a few MiB. */
const MEMORY_MIB = 256

/** A connection to a reader, with the statements that were run on it before: to plan one anew takes as long as to read 20,000 samples. */
type Line = { connection: DuckDBConnection; statements: Map<string, DuckDBPreparedStatement> }
type Reader = { duckDb: DuckDb; idle: Line[]; running: number; isEvicted: boolean }

const STATEMENTS_MAX = 16

/** LRU cache of readers, by the directory that each may read. */
const readers = new LRUCache<string, Promise<Reader>>({
  max: 4,
  dispose: (opening) => void opening.then(closeWhenIdle).catch(() => undefined),
})

/** The file that a query reads, or several, and what else its text names. */
export type QueryValues = ({ path: string } | { paths: DuckDBListValue }) & Record<string, DuckDBValue>

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
    return await onLine(reader, async (line) => {
      const statement = await statementOf(line, sql)
      statement.bind(values, emptyListTypes(values))
      // Whole results: one that is streamed may end early without an error.
      return read(await statement.run())
    })
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (isShortage(error)) throw new ServiceError('overloaded', 'too little to read a study with', { cause: error })
    throw new ServiceError(
      'corrupt',
      `${'path' in values ? basename(String(values.path)) : 'a table'} cannot be read`,
      { cause: error },
    )
  }
}

/** Returns all rows of a query, for queries with few rows. @throws as `query` */
export function queryRows(root: string, sql: string, values: QueryValues): Promise<DuckDBValue[][]> {
  return query(root, sql, values, (result) =>
    Array.from({ length: result.chunkCount }, (_, c) => result.getChunk(c).getRows()).flat(),
  )
}

async function onLine<T>(reader: Reader, run: (line: Line) => Promise<T>): Promise<T> {
  reader.running++
  try {
    const line = reader.idle.pop() ?? { connection: await reader.duckDb.connect(), statements: new Map() }
    try {
      const ended = await run(line)
      if (line.statements.size <= STATEMENTS_MAX) reader.idle.push(line)
      else closeLine(reader, line)
      return ended
    } catch (error) {
      closeLine(reader, line)
      throw error
    }
  } finally {
    reader.running--
    if (reader.isEvicted) closeWhenIdle(reader)
  }
}

/** Returns a type for each list that has no element to tell it; SQL casts to the one that it means. */
function emptyListTypes(values: QueryValues): Record<string, DuckDBListType> {
  const isEmptyList = (value: DuckDBValue) =>
    typeof value === 'object' && value !== null && 'items' in value && (value.items as unknown[]).length === 0
  const names = Object.keys(values).filter((name) => isEmptyList((values as Record<string, DuckDBValue>)[name]))
  return Object.fromEntries(names.map((name) => [name, LIST(SQLNULL)]))
}

async function statementOf({ connection, statements }: Line, sql: string): Promise<DuckDBPreparedStatement> {
  const known = statements.get(sql)
  if (known) return known
  const prepared = await connection.prepare(sql)
  statements.set(sql, prepared)
  return prepared
}

function closeLine({ duckDb }: Reader, { connection, statements }: Line): void {
  for (const statement of statements.values()) statement.destroySync()
  duckDb.disconnect(connection)
}

function closeWhenIdle(reader: Reader): void {
  reader.isEvicted = true
  if (reader.running > 0) return
  for (const line of reader.idle.splice(0)) closeLine(reader, line)
  reader.duckDb.close()
}

function readerOf(root: string): Promise<Reader> {
  const known = readers.get(root)
  if (known) return known
  const opening = openDuckDb({ directories: [root], threads: 1, memoryMib: MEMORY_MIB }).then((duckDb) => ({
    duckDb,
    idle: [],
    running: 0,
    isEvicted: false,
  }))
  readers.set(root, opening)
  // What could not be opened is tried again.
  opening.catch(() => readers.delete(root))
  return opening
}
