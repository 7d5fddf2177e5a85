import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDb, openDuckDb } from '../duckdb/duckdb.ts'
import { temporaryPath } from '../files/layout.ts'
import type { SampleLimits } from './bundle/bundle-limits.ts'
import { throwGrave } from './samples/take-samples.ts'

/** The scratch space in which a snapshot is made. */
export type Workshop = {
  /** Directory for temporary files. */
  scratch: string
  /** A path beside the study's snapshots, where nothing is yet: what is made there can be renamed to one. */
  temporary: string
  /** Reads and writes both, and reads what it was opened for. Opened when it is first asked for. */
  writer: () => Promise<DuckDb>
  /** Files that may be written at once. */
  lanes: number
}

/** Memory for writing one file: its rows are sorted, and the pages of a row group gathered. */
const LANE_MIB = 128

/** DuckDB forgets that it was to stop when a query begins, so it is told again. */
const INTERRUPT_EVERY_MS = 100

type Making = {
  studyDir: string | null
  outside?: string
  reads: string[]
  threads: number
  memoryMib: number
  limits: SampleLimits
  signal: AbortSignal
}

/** What tables that are held already leave for DuckDB, which spills when it has less: both together stay within bounds. */
function memoryLeft(memoryMib: number): number {
  const heldMib = process.memoryUsage().heapUsed / 2 ** 20
  return Math.ceil(Math.max(memoryMib / 4, memoryMib - heldMib))
}

/**
 * Runs `work` in a workshop of its own, and tidies up.
 *
 * @param studyDir null to work elsewhere, and publish nothing
 * @param outside where to work then; in the system's directory for temporary files, if not given
 * @param reads directories that SQL may read
 * @throws ServiceError disk_full; whatever `work` throws
 */
export async function inWorkshop<T>(
  { studyDir, outside = tmpdir(), reads, threads, memoryMib, limits, signal }: Making,
  work: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const scratch = studyDir ? temporaryPath(studyDir, 'scratch') : await mkdtemp(join(outside, 'gazette-'))
  const temporary = temporaryPath(studyDir ?? scratch, 'import')
  let opening: Promise<DuckDb> | null = null
  const writer = () => {
    const directories = [...reads, scratch, temporary]
    const spill = { temporaryDirectory: scratch, temporaryMaxBytes: limits.maxBytes }
    const tablesFile = join(scratch, 'staged.duckdb')
    const memory = { memoryMib: memoryLeft(memoryMib), tablesFile, ...spill }
    opening ??= openDuckDb({ directories, threads, isShared: true, ...memory })
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
    await mkdir(scratch, { recursive: true })
    // One more than threads: while one file is synced and read back, others are written.
    const lanes = Math.max(1, Math.min(threads + 1, Math.floor(memoryMib / LANE_MIB)))
    return await work({ scratch, temporary, writer, lanes })
  } catch (error) {
    throwGrave(error, signal)
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    clearInterval(interrupting)
    await (opening as Promise<DuckDb> | null)?.then((db) => db.close()).catch(() => undefined)
    await rm(scratch, { recursive: true, force: true })
  }
}
