import { createRequire } from 'node:module'
import type { DuckDBConnection, DuckDBListValue, DuckDBValue } from '@duckdb/node-api'

const require = createRequire(import.meta.url)

/**
 * Returns DuckDB's library. It is loaded at first use, since most commands need none and it takes as long to load as
 * Node itself; and with the `require` of CommonJS: for an `import`, Node would first scan it for its exports, which
 * takes as long again.
 */
export function duckDbLibrary(): typeof import('@duckdb/node-api') {
  library ??= loadLibrary()
  return library
}

let library: typeof import('@duckdb/node-api') | null = null

function loadLibrary(): typeof import('@duckdb/node-api') {
  // Its own decoder drops the first character of a text that begins with U+FEFF.
  require('@duckdb/node-api/lib/vectors/dataAccessors.js').textDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return require('@duckdb/node-api')
}

/** Returns the functions of C that the library calls, for what it has no fast way to do. */
export function duckDbBindings(): typeof import('@duckdb/node-bindings') {
  return require('@duckdb/node-bindings')
}

/** Returns values as a list that can be bound to a query. */
export function listValue(values: readonly DuckDBValue[]): DuckDBListValue {
  return duckDbLibrary().listValue(values)
}

/** A hardened DuckDB. Close it when done: it holds native memory. */
export type DuckDb = {
  connection: DuckDBConnection
  /** Opens a further connection to the same tables: a connection runs one query at a time. */
  connect: () => Promise<DuckDBConnection>
  disconnect: (connection: DuckDBConnection) => void
  /**
   * Shares `threads` between so many concurrent queries, at least one for each, and locks the configuration. Each query
   * has the thread that waits for it; further threads help any query. Call it once, on a DuckDB opened with `isShared`.
   */
  shareThreads: (queries: number) => Promise<void>
  /** Interrupts queries on all connections. */
  interrupt: () => void
  /**
   * Closes DuckDB. Call it only when no query runs: a running query would deadlock and keep the process from ending.
   */
  close: () => void
}

type DuckDbOptions = {
  /** Absolute paths that SQL may read and write. */
  directories: string[]
  /** Absolute paths of further files that SQL may read and write. */
  files?: string[]
  threads: number
  memoryMib: number
  /** Allows `shareThreads`: the configuration is locked only then, but until then no setting can extend its reach. */
  isShared?: boolean
  /**
   * New file for its own tables, compressed; without one, they are in memory, and also if the path contains a `?`, at
   * which DuckDB truncates the name of its log.
   */
  tablesFile?: string
  /** Directory and limit for spilling; without it, nothing is spilled. */
  temporaryDirectory?: string
  temporaryMaxBytes?: number
}

/**
 * Opens a sandboxed DuckDB: it reaches only `directories`, loads no extensions, and its configuration is locked. DuckDB
 * can also write to allowed directories, so give readers no more than the snapshot that they read.
 */
export async function openDuckDb(options: DuckDbOptions): Promise<DuckDb> {
  const { threads, memoryMib, isShared = false, tablesFile, temporaryDirectory } = options
  const instance = await duckDbLibrary().DuckDBInstance.create(
    tablesFile?.includes('?') ? ':memory:' : (tablesFile ?? ':memory:'),
    {
      threads: String(threads),
      memory_limit: `${memoryMib}MiB`,
      temp_directory: temporaryDirectory ?? '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      preserve_insertion_order: 'true',
      // Off: it would take 57 KiB for every file, which the system's page cache has anyway.
      enable_external_file_cache: 'false',
    },
  )
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
    await confine(connection, options)
    if (!isShared) await lock()
  } catch (error) {
    close()
    throw error
  }
  return { connection, connect, disconnect, shareThreads, interrupt, close }
}

/** Makes settings that the options of create() cannot. Their order matters: the last forbids the others. */
async function confine(
  connection: DuckDBConnection,
  { directories, files = [], temporaryMaxBytes }: DuckDbOptions,
): Promise<void> {
  // Nobody opens the tables again.
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  if (temporaryMaxBytes)
    await connection.run(`SET max_temp_directory_size = '${Math.ceil(temporaryMaxBytes / 2 ** 20)}MiB'`)
  const listed = (paths: string[]) => paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ')
  await connection.run(`SET allowed_directories = [${listed(directories)}]`)
  if (files.length > 0) await connection.run(`SET allowed_paths = [${listed(files)}]`)
  await connection.run('SET enable_external_access = false')
}

/**
 * Returns SQL that reads the Parquet file at the bound `$path`, without Hive partitioning: DuckDB would take
 * `gaze_x_px=1` in a path for a column.
 *
 * @param options further ones, such as `file_row_number = true`
 */
export function readParquet(...options: string[]): string {
  return readParquetAt('$path', ...options)
}

/** Returns SQL that reads the Parquet file at the path in another bound value. */
export function readParquetAt(path: '$path' | '$participants', ...options: string[]): string {
  return `read_parquet(${[path, 'hive_partitioning = false', 'union_by_name = false', ...options].join(', ')})`
}
