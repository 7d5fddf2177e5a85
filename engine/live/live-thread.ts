import type { DrawnAois } from '../exports/columns/drawn-aois.ts'
import { createPool, type EnginePool } from '../run/pool/pool.ts'
import { threadFile } from '../run/pool/thread-file.ts'
import { createBlocks } from '../run/shards/blocks.ts'
import type { Arrival } from '../study/arrival.ts'
import { readArrival } from './arrivals/read-arrival.ts'
import type { BodyKind } from './arrivals/read-body.ts'
import type { DoneChange, StudyAsJson, ThreadWork } from './thread-work.ts'

type ThreadCall<K extends keyof ThreadWork, Result> = (...args: Parameters<ThreadWork[K]>) => Promise<Result>

/**
 * Runs work on a thread of its own that would block the event loop: parsing large bodies of participants, validating
 * descriptions, and changing studies, which may be large. The thread shares the given bytes if their memory is shared.
 * Errors are those of the functions with the same names; an invalid body is a ServiceError invalid_bundle with the
 * first 100 problems.
 */
export type LiveThread = {
  /** Parses a participant; on the calling thread if the body is small. */
  readArrival: (bytes: Buffer, kind: BodyKind) => Promise<Arrival>
  /** Validates a study's description, as in study.json. */
  describe: (bytes: Buffer) => Promise<StudyAsJson>
  /** Validates AOIs for an item of a snapshot, without changing anything. */
  drawAois: ThreadCall<'drawAois', DrawnAois>
  /** Changes a study. @throws as `changeStudy` and the changes */
  change: ThreadCall<'change', DoneChange>
  /** Waits for running work, then terminates the thread. */
  close: () => Promise<void>
}

const THREAD = threadFile(import.meta.url, './thread-work.js')
/** Largest body that is parsed on the calling thread, in some milliseconds. */
const SMALL_MAX_BYTES = 64 * 1024
/** Number of concurrent changes: a change mostly waits for the study's lock and for the disk. */
const AT_ONCE = 64
/** Low priority of the thread: a body of 50 MB keeps it busy for a second, in which small exports go first. */
const NICE = 5

export function openLiveThread(): LiveThread {
  let thread: EnginePool | null = null
  /** Transfers memory of the arguments to the thread instead of copying it. */
  const run = async <K extends keyof ThreadWork>(
    work: K,
    args: Parameters<ThreadWork[K]>,
    moved: Uint8Array[] = [],
  ) => {
    const blocks = createBlocks(0)
    thread ??= createPool({ threads: 1, tasksPerThread: AT_ONCE, niceIncrement: NICE, alsoLoad: [THREAD], blocks })
    const buffers = moved.map(({ buffer }) => buffer as ArrayBuffer)
    return thread.computeBy(THREAD, 'doInThread', { work, args }, buffers) as never
  }
  return {
    readArrival: async (bytes, kind) =>
      bytes.length <= SMALL_MAX_BYTES ? readArrival(bytes, kind) : run('readArrival', [bytes, kind]),
    describe: (bytes) => run('describe', [bytes]),
    drawAois: (snapshotDir, itemId, bytes) => run('drawAois', [snapshotDir, itemId, bytes]),
    change: (changing, ifMatch, asked) =>
      run('change', [changing, ifMatch, asked], 'described' in asked ? [asked.described.json] : []),
    close: async () => thread?.close(),
  }
}
