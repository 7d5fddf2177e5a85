import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { isShortage } from '../../files/durable.ts'
import { ServiceError } from '../../model/errors.ts'
import { type Blocks, bytesOf, createBlocks, type Finished, freeBlock, freeBlocksOf } from '../shards/blocks.ts'
import type { ShardTask } from '../shards/shard.ts'
import type { Failed, ShardAnswer, ShardResult } from './export-thread.ts'
import { type JobGate, openJobGate } from './job-gate.ts'
import { createTaskQueue, URGENT } from './task-queue.ts'
import { threadFile } from './thread-file.ts'

/** The threads that compute shards: one pool per process. */
export type EnginePool = Pick<JobGate, 'favorSmall' | 'giveWay'> & {
  threads: number
  /** Shards that are being computed or wait for a thread. */
  load: () => { running: number; waiting: number }
  /**
   * @param isUrgent whether a client waits for it: then it goes before shards of jobs
   * @throws ServiceError as `export-thread.ts` names them; any other error is a bug
   */
  compute: (task: PoolTask, isUrgent: boolean) => Promise<ShardResult>
  /** A view of what a block of a result has. */
  bytesOf: (block: Finished) => Uint8Array
  /** Frees the block of a result once its bytes are not read any more, for a thread to reuse. */
  reuse: (block: Finished) => void
  /** Runs another function of a thread file; always urgent. @param moved memory that the thread takes over. @throws as `compute` */
  computeBy: (filename: string, name: string, task: object, moved?: ArrayBuffer[]) => Promise<unknown>
  /** Lets running shards end, then ends the threads. */
  close: () => Promise<void>
}

/** A shard of an export, and whether to deflate it, too. */
export type PoolTask = ShardTask & { gzip: boolean }

const START_AGAIN_MS = 500

/** For each thread of the process, until it has loaded its code. DuckDB's binding ends the process when its thread is ended meanwhile. */
const started = new WeakMap<Worker, Promise<void>>()
process.on('worker', (thread) => {
  const loaded = new Promise<void>((resolve) => {
    for (const event of ['message', 'error', 'exit']) thread.once(event, () => resolve())
  })
  started.set(thread, loaded)
})

/**
 * Blocks that a shard of the longest rows fills; there is one shard in each thread, and one being written. A block that
 * finds no place is transferred, which costs the kernel and V8 a fourth of an export.
 */
const BLOCKS_PER_SHARD = 40

const OWNER_MAX = 2 ** 31 - 1

/** Memory for young objects of a thread; without a limit, V8 takes more and more in a long run, without a gain. */
const YOUNG_MIB = 12

/**
 * Starts a pool.
 *
 * @param tasksPerThread more than one for tasks that wait most of the time; shards do not
 * @param niceIncrement how much less the system prefers these threads, where it can: the rest of the process goes before them
 * @param onBroken called once when a thread cannot load its code, which no other thread could; all that is computed fails from then on
 */
export function createPool({
  threads,
  tasksPerThread = 1,
  niceIncrement = 0,
  blocks = createBlocks((threads + 1) * BLOCKS_PER_SHARD),
  onBroken = () => {},
}: {
  threads: number
  tasksPerThread?: number
  niceIncrement?: number
  blocks?: Blocks
  onBroken?: (error: Error) => void
}): EnginePool {
  // An abort never kills a thread: a stop is a flag that the thread looks at.
  const piscina = new Piscina({
    filename: threadFile(import.meta.url, './export-thread.js'),
    name: 'computeShardInThread',
    minThreads: 1,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    maxThreads: threads,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: tasksPerThread,
    niceIncrement,
    maxQueue: Number.POSITIVE_INFINITY,
    taskQueue: createTaskQueue(),
  })
  // A thread that cannot start for too many open files must not take the process with it, nor let wait for ever what waits for it.
  piscina.on('error', (error) => {
    if (!isShortage(error)) return giveUp(error)
    setTimeout(() => void piscina.run(null, { name: 'wake' }).catch(() => undefined), START_AGAIN_MS)
  })
  let broken: Error | null = null
  const waiting = new Set<(error: Error) => void>()
  function giveUp(cause: Error): void {
    if (broken !== null) return
    broken = new Error(`a thread cannot load its code: ${cause.message}`, { cause })
    for (const reject of waiting) reject(broken)
    onBroken(broken)
  }
  /** Runs a task, which a pool that has no thread would let wait for ever. */
  async function run(
    task: unknown,
    options?: { filename: string; name: string; transferList?: ArrayBuffer[] },
  ): Promise<unknown> {
    if (broken !== null) throw broken
    let reject: (error: Error) => void = () => {}
    const failing = new Promise<never>((_, fail) => {
      reject = fail
    })
    waiting.add(reject)
    try {
      return await Promise.race([piscina.run(task, options), failing])
    } finally {
      waiting.delete(reject)
    }
  }
  const gate = openJobGate(threads)
  let running = 0
  let lastOwner = 0

  async function compute(task: PoolTask, isUrgent: boolean): Promise<ShardResult> {
    const owner = lastOwner === OWNER_MAX ? 1 : lastOwner + 1
    lastOwner = owner
    running++
    try {
      const shared = { blocks, owner }
      const answer = (await run({ ...task, shared, ...(isUrgent ? URGENT : {}) })) as ShardAnswer
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
    load: () => ({ running: running - piscina.queueSize, waiting: piscina.queueSize + gate.waiting() }),
    compute: (task, isUrgent) => (isUrgent ? compute(task, true) : gate.pass(() => compute(task, false))),
    favorSmall: gate.favorSmall,
    giveWay: gate.giveWay,
    bytesOf: (block) => bytesOf(block, blocks),
    reuse: (block) => freeBlock(block, blocks),
    computeBy: async (filename, name, task, transferList) => {
      running++
      try {
        const answer = (await run({ ...task, ...URGENT }, { filename, name, transferList })) as
          | { part: unknown }
          | Failed
        if ('part' in answer) return answer.part
        throw errorOf(answer)
      } finally {
        running--
      }
    },
    close: async () => {
      // Those that were just made are told of in the next turn.
      await setImmediate()
      await Promise.all(piscina.threads.map((thread) => started.get(thread)))
      await (broken === null ? piscina.close({ force: false }) : piscina.destroy())
    },
  }
}

function errorOf({ failed: { code, message, detail, problems } }: Failed): ServiceError {
  return new ServiceError(code, message, { problems, cause: detail })
}
