import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDb, openDuckDb } from '../duckdb/duckdb.ts'
import { temporaryPath } from '../files/layout.ts'
import { ServiceError } from '../model/errors.ts'

/** Temporary workspace in which a snapshot is made. */
export type Workspace = {
  /** Directory for temporary files, made with `writer`. */
  scratch: string
  /** A path beside the study's snapshots, where nothing is yet: what is made there can be renamed to one. */
  temporary: string
  /** Reads and writes both, and reads what it was opened for. Opened when it is first asked for. */
  writer: () => Promise<DuckDb>
  /** Files that may be written at once. */
  lanes: number
  signal: AbortSignal
}

/** Memory for writing one file: its rows are sorted, and the pages of a row group gathered. */
const LANE_MIB = 128

/** DuckDB forgets that it was to stop when a query begins, so it is told again. */
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

/**
 * Returns the memory that tables already held leave for DuckDB, which spills beyond it, so that both stay in bounds.
 */
function memoryLeft(memoryMib: number): number {
  const heldMib = process.memoryUsage().heapUsed / 2 ** 20
  return Math.ceil(Math.max(memoryMib / 4, memoryMib - heldMib))
}

/**
 * Runs `work` in a workspace of its own, and tidies up.
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
    await mkdir(scratch, { recursive: true, mode: 0o700 })
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

/** Throws errors that no sample is to blame for: an abort, a full disk, too little memory. */
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
