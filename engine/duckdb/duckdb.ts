import { createRequire } from 'node:module'
import type { DuckDBConnection } from '@duckdb/node-api'

/**
 * The `require` of CommonJS: by `import`, Node would first scan all of a CommonJS library for the names that it
 * exports, which takes as long again.
 */
const require = createRequire(import.meta.url)
export const {
  BOOLEAN,
  DOUBLE,
  DuckDBInstance,
  DuckDBScalarFunction,
  DuckDBTableFunction,
  INTEGER,
  LIST,
  listValue,
  SQLNULL,
  UUID,
  VARCHAR,
}: typeof import('@duckdb/node-api') = require('@duckdb/node-api')

/** A hardened DuckDB. Close it when done: it holds native memory. */
export type DuckDb = {
  connection: DuckDBConnection
  /** Opens one more, to the same tables: a connection runs one query at a time. */
  connect: () => Promise<DuckDBConnection>
  disconnect: (connection: DuckDBConnection) => void
  /**
   * Shares `threads` between so many queries that run at once, at least one, and locks the configuration: each has the
   * thread that waits for it, and what is left over helps any. Once, for a DuckDB opened with `isShared`.
   */
  shareThreads: (queries: number) => Promise<void>
  /** Interrupts queries on all connections. */
  interrupt: () => void
  /**
   * Closes DuckDB. Call it only when no query runs: a running query would wait for itself and keep the process from
   * ending.
   */
  close: () => void
}

/**
 * Opens a DuckDB that reaches only `directories`, installs and loads nothing, and whose configuration is locked.
 * DuckDB writes to allowed directories too, so give readers no more than the snapshot they read.
 *
 * @param directories absolute paths that SQL may read and write
 * @param files absolute paths of further files that it may
 * @param isShared whether `shareThreads` may be called: its configuration is locked only then, though no setting lets
 * it reach more before
 * @param tablesFile where its own tables are kept, compressed; in memory without one, and where its path holds a `?`,
 * at which DuckDB cuts it to name its log. It must not be there yet
 * @param temporaryDirectory where it may spill, and how much; nothing is spilled without one
 */
export async function openDuckDb({
  directories,
  files = [],
  threads,
  memoryMib,
  isShared = false,
  tablesFile,
  temporaryDirectory,
  temporaryMaxBytes,
}: {
  directories: string[]
  files?: string[]
  threads: number
  memoryMib: number
  isShared?: boolean
  tablesFile?: string
  temporaryDirectory?: string
  temporaryMaxBytes?: number
}): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(tablesFile?.includes('?') ? ':memory:' : (tablesFile ?? ':memory:'), {
    threads: String(threads),
    memory_limit: `${memoryMib}MiB`,
    temp_directory: temporaryDirectory ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    preserve_insertion_order: 'true',
    // It would keep 57 KiB of every file that was read, which the system's page cache has anyway.
    enable_external_file_cache: 'false',
  })
  const connections = new Set<DuckDBConnection>()
  const connect = async () => {
    const made = await instance.connect()
    connections.add(made)
    return made
  }
  const disconnect = (connection: DuckDBConnection) => {
    connections.delete(connection)
    connection.closeSync()
  }
  const interrupt = () => {
    for (const each of connections) each.interrupt()
  }
  const close = () => {
    for (const each of connections) each.closeSync()
    instance.closeSync()
  }
  const connection = await connect()
  const lock = () => connection.run('SET lock_configuration = true')
  const shareThreads = async (queries: number) => {
    await connection.run(`SET threads = ${Math.max(1, threads - queries + 1)}`)
    await lock()
  }
  try {
    // Among create()'s options it would not be heeded.
    if (temporaryMaxBytes)
      await connection.run(`SET max_temp_directory_size = '${Math.ceil(temporaryMaxBytes / 2 ** 20)}MiB'`)
    // Not possible in create()'s options; the order matters, since the last line forbids the others.
    const listed = (paths: string[]) => paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ')
    await connection.run(`SET allowed_directories = [${listed(directories)}]`)
    if (files.length > 0) await connection.run(`SET allowed_paths = [${listed(files)}]`)
    await connection.run('SET enable_external_access = false')
    if (!isShared) await lock()
  } catch (error) {
    close()
    throw error
  }
  return { connection, connect, disconnect, shareThreads, interrupt, close }
}

/**
 * Returns SQL that reads the Parquet file at the bound `$path`, as it is: DuckDB would take `gaze_x_px=1` in a path for
 * a column.
 *
 * @param options further ones, like `file_row_number = true`
 */
export function readParquet(...options: string[]): string {
  return readParquetAt('$path', ...options)
}

/** Returns the same of the path that another value holds. */
export function readParquetAt(path: '$path' | '$participants', ...options: string[]): string {
  return `read_parquet(${[path, 'hive_partitioning = false', 'union_by_name = false', ...options].join(', ')})`
}
