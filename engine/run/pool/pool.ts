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
   * @param isUrgent whether a client waits for it: then it goes before shards of jobs
   * @throws ServiceError as `thread-answers.ts` tells them; any other error is a bug
   */
  compute: (task: PoolTask, isUrgent: boolean) => Promise<ShardResult>
  /** A view of what a block of a result has. */
  bytesOf: (block: Finished) => Uint8Array
  /** Frees the block of a result once its bytes are not read any more, for a thread to reuse. */
  reuse: (block: Finished) => void
  /**
   * Runs a function of another module, which threads load now, if not when they started; always urgent.
   *
   * @param moved memory that the thread takes over
   * @throws as `compute`
   */
  computeBy: (filename: string, name: string, task: object, moved?: ArrayBuffer[]) => Promise<unknown>
  /** Waits for running shards, then ends the threads. */
  close: () => Promise<void>
}

/** A shard of an export, and whether to deflate it, too. */
export type PoolTask = ShardTask & { gzip: boolean; maxBytes: number }

/**
 * Blocks that a shard of the longest rows fills; there is one shard in each thread, and one being written. A block that
 * finds no place is transferred, which costs the kernel and V8 a fourth of an export.
 */
const BLOCKS_PER_SHARD = 40

const OWNER_MAX = 2 ** 31 - 1

/**
 * Starts a pool.
 *
 * @param tasksPerThread more than one for tasks that wait most of the time; shards do not
 * @param alsoLoad paths of modules for `computeBy`, which threads load when they start: what Node could not load later,
 * for want of open files, it would never load
 * @param niceIncrement how much less the system prefers these threads, where it can: the rest of the process goes
 * before them
 * @param onBroken called once when a thread cannot load its code, which no other thread could; all that is computed
 * fails from then on
 */
export function createPool({
  threads,
  tasksPerThread = 1,
  niceIncrement = 0,
  alsoLoad = [],
  blocks = createBlocks((threads + 1) * BLOCKS_PER_SHARD),
  onBroken = () => {},
}: {
  threads: number
  tasksPerThread?: number
  niceIncrement?: number
  alsoLoad?: string[]
  blocks?: Blocks
  onBroken?: (error: Error) => void
}): EnginePool {
  const pool = startThreads({ threads, tasksPerThread, niceIncrement, alsoLoad, onBroken })
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
