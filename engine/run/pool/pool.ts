import { ServiceError } from '../../model/errors.ts'
import { type Blocks, bytesOf, createBlocks, type Finished, freeBlock, freeBlocksOf } from '../shards/blocks.ts'
import type { ShardTask } from '../shards/shard.ts'
import type { ShardAnswer, ShardResult } from './export-thread.ts'
import { type JobLimiter, openJobLimiter } from './job-limiter.ts'
import { URGENT } from './task-queue.ts'
import type { Failed } from './thread-answers.ts'
import { startThreads } from './threads.ts'

/** The threads that compute shards: one pool per process. */
export type EnginePool = Pick<JobLimiter, 'prioritizeSmall' | 'giveWay'> & {
  threads: number
  /** Shards that are being computed or wait for a thread. */
  load: () => { running: number; waiting: number }
  /**
   * Computes a shard.
   *
   * @param isUrgent whether a client waits for it; it then goes before shards of jobs
   * @throws ServiceError as in `thread-answers.ts`; any other error is a bug
   */
  compute: (task: PoolTask, isUrgent: boolean) => Promise<ShardResult>
  /** Returns a view of the bytes of a result's block. */
  bytesOf: (block: Finished) => Uint8Array
  /** Frees the block of a result after its bytes were read, so that a thread can reuse it. */
  reuse: (block: Finished) => void
  /**
   * Runs a function of another module on a thread, which loads the module if it has not preloaded it; always urgent.
   *
   * @param moved memory that is transferred to the thread
   * @throws as `compute`
   */
  computeBy: (filename: string, name: string, task: object, moved?: ArrayBuffer[]) => Promise<unknown>
  /** Waits for running shards, then terminates the threads. */
  close: () => Promise<void>
}

/** A shard of an export, and whether to compress it, too. */
export type PoolTask = ShardTask & { gzip: boolean; maxBytes: number }

/**
 * Number of blocks: enough for a shard of the longest rows in each thread, and one that is being written. A block
 * without a place is transferred, which costs the kernel and V8 a quarter of an export's time.
 */
const BLOCKS_PER_SHARD = 40

const OWNER_MAX = 2 ** 31 - 1

/**
 * Starts a pool.
 *
 * @param tasksPerThread more than one for tasks that mostly wait, unlike shards
 * @param alsoLoad paths of modules for `computeBy` that threads preload: if the process later runs out of file
 *   descriptors, Node could no longer load them
 * @param loadsFormats whether threads preload the code of all formats for the same reason, as in a long-lived process;
 *   otherwise, each loads that of a format when it first needs it
 * @param niceIncrement lowers the priority of the threads, if the system supports it
 * @param onBroken called once if a thread cannot load its code, which then no thread could; all later tasks fail
 */
export function createPool(given: {
  threads: number
  tasksPerThread?: number
  niceIncrement?: number
  alsoLoad?: string[]
  loadsFormats?: boolean
  blocks?: Blocks
  onBroken?: (error: Error) => void
}): EnginePool {
  const { threads, tasksPerThread = 1, niceIncrement = 0, alsoLoad = [], loadsFormats = false } = given
  const { blocks = createBlocks((threads + 1) * BLOCKS_PER_SHARD), onBroken = () => {} } = given
  const pool = startThreads({ threads, tasksPerThread, niceIncrement, alsoLoad, loadsFormats, onBroken })
  const gate = openJobLimiter(threads)
  let running = 0
  let lastOwner = 0

  async function compute(task: PoolTask, isUrgent: boolean): Promise<ShardResult> {
    const owner = lastOwner === OWNER_MAX ? 1 : lastOwner + 1
    lastOwner = owner
    running++
    try {
      const shared = { blocks, owner }
      const answer = (await pool.run({ ...task, shared, ...(isUrgent ? URGENT : {}) })) as ShardAnswer
      if ('failed' in answer) throw errorOf(answer)
      return answer.result
    } catch (error) {
      freeBlocksOf(owner, blocks)
      throw error
    } finally {
      running--
    }
  }

  return {
    threads,
    load: () => ({ running: running - pool.queued(), waiting: pool.queued() + gate.waiting() }),
    compute: (task, isUrgent) => (isUrgent ? compute(task, true) : gate.pass(() => compute(task, false))),
    prioritizeSmall: gate.prioritizeSmall,
    giveWay: gate.giveWay,
    bytesOf: (block) => bytesOf(block, blocks),
    reuse: (block) => freeBlock(block, blocks),
    computeBy: async (filename, name, task, transferList) => {
      running++
      try {
        const answer = (await pool.run({ ...task, ...URGENT }, { filename, name, transferList })) as
          | { part: unknown }
          | Failed
        if ('part' in answer) return answer.part
        throw errorOf(answer)
      } finally {
        running--
      }
    },
    close: pool.close,
  }
}

function errorOf({ failed: { code, message, detail, problems } }: Failed): ServiceError {
  return new ServiceError(code, message, { problems, cause: detail })
}
