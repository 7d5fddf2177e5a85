import { basename } from 'node:path'
import type {
  DuckDBConnection,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBScalarFunction,
  DuckDBValue,
} from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { ServiceError, stopReason } from '../model/errors.ts'
import { isShortage } from '../model/system-errors.ts'
import { type DuckDb, duckDbLibrary, openDuckDb } from './duckdb.ts'
import { registerLike } from './like.ts'

/** Memory limit of DuckDB for reading; a row group of samples takes a few MiB. */
const MEMORY_MIB = 256

/**
 * Connection to a reader with a cache of prepared statements: preparing one takes as long as reading 20,000 samples.
 */
type PreparedConnection = { connection: DuckDBConnection; statements: Map<string, DuckDBPreparedStatement> }
type Reader = {
  duckDb: DuckDb
  like: DuckDBScalarFunction
  idle: PreparedConnection[]
  running: number
  isEvicted: boolean
}

const STATEMENTS_MAX = 16

/** LRU cache of readers, by the directory that each can read. */
const readers = new LRUCache<string, Promise<Reader>>({
  max: 4,
  dispose: (opening) => void opening.then(closeWhenIdle).catch(() => undefined),
})

/** File or files that a query reads, and further values that its text names. */
export type QueryValues = ({ path: string } | { paths: DuckDBListValue }) & Record<string, DuckDBValue>

/**
 * Runs a query over files of a snapshot on this thread's own DuckDB, with one thread.
 *
 * @param root directory of all studies: nothing outside can be read
 * @param sql constant text; everything else is a bound value
 * @param read copies what is needed out of the result, whose memory belongs to DuckDB
 * @param stop interrupts the query
 * @throws ServiceError overloaded if the system lacks resources at the moment, corrupt if the file cannot be read; as
 *   `stopReason` if `stop` aborts
 */
export async function query<T>(
  root: string,
  sql: string,
  values: QueryValues,
  read: (result: DuckDBMaterializedResult) => T,
  stop?: AbortSignal,
): Promise<T> {
  try {
    const reader = await readerOf(root)
    return await onConnection(reader, async (prepared) => {
      const statement = await statementOf(prepared, sql)
      statement.bind(values, emptyListTypes(values))
      // Whole results: a streamed one may end early without an error.
      return read(await interruptible(prepared.connection, () => statement.run(), stop))
    })
  } catch (error) {
    if (stop?.aborted) throw stopReason(stop)
    if (error instanceof ServiceError) throw error
    if (isShortage(error))
      throw new ServiceError('overloaded', 'too little memory, or too few open files, to read a study', {
        cause: error,
      })
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

const INTERRUPT_EVERY_MS = 50

/** Runs a query that is interrupted if `stop` aborts, even before it begins. */
async function interruptible<T>(
  connection: DuckDBConnection,
  run: () => Promise<T>,
  stop: AbortSignal | undefined,
): Promise<T> {
  if (stop === undefined) return run()
  if (stop.aborted) throw stopReason(stop)
  let interrupting: NodeJS.Timeout | undefined
  const interrupt = () => {
    connection.interrupt()
    interrupting = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
  }
  stop.addEventListener('abort', interrupt, { once: true })
  try {
    return await run()
  } finally {
    stop.removeEventListener('abort', interrupt)
    clearInterval(interrupting)
  }
}

let running = 0

/** Returns the number of queries that run on this thread. */
export function queriesRunning(): number {
  return running
}

async function onConnection<T>(reader: Reader, run: (prepared: PreparedConnection) => Promise<T>): Promise<T> {
  reader.running++
  running++
  try {
    const prepared = reader.idle.pop() ?? { connection: await reader.duckDb.connect(), statements: new Map() }
    try {
      const ended = await run(prepared)
      if (prepared.statements.size <= STATEMENTS_MAX) reader.idle.push(prepared)
      else closeConnection(reader, prepared)
      return ended
    } catch (error) {
      closeConnection(reader, prepared)
      throw error
    }
  } finally {
    reader.running--
    running--
    if (reader.isEvicted) closeWhenIdle(reader)
  }
}

/** Returns a type for each empty list, which has no element to infer it from; SQL casts it to the right one. */
function emptyListTypes(values: QueryValues): Record<string, DuckDBListType> {
  const isEmptyList = (value: DuckDBValue) =>
    typeof value === 'object' && value !== null && 'items' in value && (value.items as unknown[]).length === 0
  const names = Object.keys(values).filter((name) => isEmptyList((values as Record<string, DuckDBValue>)[name]))
  const { LIST, SQLNULL } = duckDbLibrary()
  return Object.fromEntries(names.map((name) => [name, LIST(SQLNULL)]))
}

async function statementOf(
  { connection, statements }: PreparedConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const known = statements.get(sql)
  if (known) return known
  const prepared = await connection.prepare(sql)
  statements.set(sql, prepared)
  return prepared
}

function closeConnection({ duckDb }: Reader, { connection, statements }: PreparedConnection): void {
  for (const statement of statements.values()) statement.destroySync()
  duckDb.disconnect(connection)
}

function closeWhenIdle(reader: Reader): void {
  reader.isEvicted = true
  if (reader.running > 0) return
  for (const prepared of reader.idle.splice(0)) closeConnection(reader, prepared)
  reader.duckDb.close()
  reader.like.destroySync()
}

function readerOf(root: string): Promise<Reader> {
  const known = readers.get(root)
  if (known) return known
  const opening = openDuckDb({ directories: [root], threads: 1, memoryMib: MEMORY_MIB }).then((duckDb) => ({
    duckDb,
    like: registerLike(duckDb.connection),
    idle: [],
    running: 0,
    isEvicted: false,
  }))
  readers.set(root, opening)
  // If opening fails, the next call retries.
  opening.catch(() => readers.delete(root))
  return opening
}
