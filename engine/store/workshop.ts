import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDb, openDuckDb } from './duckdb.ts'
import { temporaryPath } from './layout.ts'
import { throwGrave } from './take-samples.ts'

/** Where a snapshot is made. */
export type Workshop = {
  /** For files that nobody will miss. */
  scratch: string
  /** A path beside the study's snapshots, where nothing is yet: what is made there can be renamed to one. */
  temporary: string
  /** Reads and writes both, and reads what it was opened for. Opened when it is first asked for. */
  writer: () => Promise<DuckDb>
  /** The same on one thread for each query: for rows of ours, while others would look for work all the time. */
  encoder: () => Promise<DuckDb>
  /** How many files may be written at once. */
  lanes: number
  /** Called when the work is over, however it ended. */
  atEnd: (() => void)[]
}

/** What writing one file may take: its rows are sorted, and a row group's pages gathered. */
const LANE_MIB = 128

/**
 * Runs `work` in a workshop of its own, and tidies up.
 *
 * @param studyDir null to work outside the data directory, and publish nothing
 * @param reads directories that SQL may read
 * @throws ServiceError disk_full; whatever `work` throws
 */
export async function inWorkshop<T>(
  {
    studyDir,
    reads,
    threads,
    memoryMib,
    signal,
  }: { studyDir: string | null; reads: string[]; threads: number; memoryMib: number; signal: AbortSignal },
  work: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const scratch = studyDir ? temporaryPath(studyDir, 'scratch') : await mkdtemp(join(tmpdir(), 'gazette-'))
  const temporary = temporaryPath(studyDir ?? scratch, 'import')
  const atEnd: (() => void)[] = []
  const openings: Promise<DuckDb>[] = []
  const opened: DuckDb[] = []
  const opener = (queryThreads: number) => {
    let opening: Promise<DuckDb> | null = null
    const open = async () => {
      const directories = [...reads, scratch, temporary]
      const db = await openDuckDb({ directories, threads: queryThreads, memoryMib, temporaryDirectory: scratch })
      opened.push(db)
      return db
    }
    return () => {
      if (opening !== null) return opening
      opening = open()
      openings.push(opening)
      return opening
    }
  }
  const [writer, encoder] = [opener(threads), opener(1)]
  const stop = () => {
    for (const db of opened) db.interrupt()
  }
  signal.addEventListener('abort', stop)
  try {
    await mkdir(scratch, { recursive: true })
    const lanes = Math.max(1, Math.min(threads, Math.floor(memoryMib / LANE_MIB)))
    return await work({ scratch, temporary, writer, encoder, lanes, atEnd })
  } catch (error) {
    throwGrave(error, signal)
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    await Promise.allSettled(openings)
    for (const db of opened) db.close()
    for (const end of atEnd) end()
    await rm(scratch, { recursive: true, force: true })
  }
}
