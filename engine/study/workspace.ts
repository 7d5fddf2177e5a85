import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDb, openDuckDb } from '../duckdb/duckdb.ts'
import { ServiceError } from '../model/errors.ts'
import { makeDirectory } from '../storage/files/durable.ts'
import { temporaryPath } from '../storage/files/layout.ts'

/** Temporary workspace in which a snapshot is made. */
export type Workspace = {
  /** Directory for temporary files, made with `writer`. */
  scratch: string
  /** Unused path beside the study's snapshots, from which a directory can be renamed to one. */
  temporary: string
  /**
   * Opens a DuckDB on first use. It may read and write both directories, and read those that the workspace was opened
   * for.
   */
  writer: () => Promise<DuckDb>
  /** Number of files that may be written in parallel. */
  lanes: number
  signal: AbortSignal
}

/** Memory for writing one file: its rows are sorted, and the pages of a row group gathered. */
const LANE_MIB = 128

/** Interval at which DuckDB is interrupted again, since a new query forgets an interrupt. */
const INTERRUPT_EVERY_MS = 100

const SPILL_MAX_BYTES = 2 ** 36

type Making = {
  studyDir: string | null
  scratch?: string
  reads: string[]
  threads: number
  memoryMib: number
  spillMaxBytes?: number
  signal: AbortSignal
}

/** Returns the memory that is left for DuckDB beside loaded tables; it spills beyond that. */
function memoryLeft(memoryMib: number): number {
  const heldMib = process.memoryUsage().heapUsed / 2 ** 20
  return Math.ceil(Math.max(memoryMib / 4, memoryMib - heldMib))
}

/**
 * Runs `work` in a workspace, and removes it.
 *
 * @param studyDir null to work elsewhere, and publish nothing
 * @param scratch an existing directory to work in then; the system's own, if not given
 * @param reads directories that SQL may read
 * @throws ServiceError disk_full; whatever `work` throws
 */
export async function inWorkspace<T>(
  { studyDir, scratch: outside = tmpdir(), reads, threads, memoryMib, spillMaxBytes = SPILL_MAX_BYTES, signal }: Making,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const scratch = studyDir ? temporaryPath(studyDir, 'scratch') : join(outside, `gazette-${randomUUID()}`)
  const temporary = temporaryPath(studyDir ?? scratch, 'import')
  let opening: Promise<DuckDb> | null = null
  const open = async () => {
    await makeDirectory(scratch, 0o700)
    const directories = [...reads, scratch, temporary]
    const spill = { temporaryDirectory: scratch, temporaryMaxBytes: spillMaxBytes }
    const tablesFile = join(scratch, 'staged.duckdb')
    return openDuckDb({ directories, threads, isShared: true, memoryMib: memoryLeft(memoryMib), tablesFile, ...spill })
  }
  const writer = () => {
    opening ??= open()
    return opening
  }
  let interrupting: NodeJS.Timeout | undefined
  const interrupt = () => void opening?.then((db) => db.interrupt()).catch(() => undefined)
  const stop = () => {
    interrupt()
    interrupting = setInterval(interrupt, INTERRUPT_EVERY_MS)
  }
  signal.addEventListener('abort', stop)
  try {
    // One more than threads: while one file is synced and read back, others are written.
    const lanes = Math.max(1, Math.min(threads + 1, Math.floor(memoryMib / LANE_MIB)))
    return await work({ scratch, temporary, writer, lanes, signal })
  } catch (error) {
    if (opening !== null) throwGrave(error, signal)
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    clearInterval(interrupting)
    if (opening !== null) {
      await (opening as Promise<DuckDb>).then((db) => db.close()).catch(() => undefined)
      await rm(scratch, { recursive: true, force: true })
    }
  }
}

/** Throws errors that are not caused by a sample: an abort, a full disk, too little memory. */
export function throwGrave(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (error instanceof ServiceError) throw error
  const text = String(error)
  if (/No space left|ENOSPC|disk (is )?full/i.test(text))
    throw new ServiceError('disk_full', 'there is no space left on the disk', { cause: error })
  if (/max_temp_directory_size/.test(text))
    throw new ServiceError('invalid_bundle', 'the samples take more disk to be sorted than IMPORT_MAX_GIB allows', {
      cause: error,
    })
  if (/Out of Memory|failed to offload/i.test(text))
    throw new ServiceError(
      'invalid_bundle',
      'the samples take more memory to be read than ENGINE_MEMORY_MIB allows: raise it, if they are whole',
      { cause: error },
    )
}
