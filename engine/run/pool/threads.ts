import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { isCode, isShortage } from '../../files/durable.ts'
import { ServiceError } from '../../model/errors.ts'
import { createTaskQueue } from './task-queue.ts'
import { threadFile } from './thread-file.ts'

/**
 * Start-up data of a thread.
 *
 * @property alsoLoad paths of modules, besides export-thread.ts, whose functions it will run
 */
export type ThreadSetup = { alsoLoad: string[] }

/** Threads that run tasks. */
type Threads = {
  /**
   * Runs a task.
   *
   * @param options another function than that of export-thread.ts, and memory to transfer to the thread
   */
  run: (task: unknown, options?: { filename: string; name: string; transferList?: ArrayBuffer[] }) => Promise<unknown>
  /** Number of tasks that wait for a thread. */
  queued: () => number
  /** Waits for running tasks, then terminates the threads. */
  close: () => Promise<void>
}

const START_AGAIN_MS = 500
const GIVE_UP_AFTER_MS = 2000
const LOAD_FAULTS = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']

/** Limit of a thread's memory for young objects; without it, V8 takes more and more in a long run, to no benefit. */
const YOUNG_MIB = 12

/** Threads that are still loading their code: terminating such a thread would crash the process in DuckDB's binding. */
const started = new WeakMap<Worker, Promise<void>>()
process.on('worker', (thread) => {
  const loaded = new Promise<void>((resolve) => {
    for (const event of ['message', 'error', 'exit']) thread.once(event, () => resolve())
  })
  started.set(thread, loaded)
})

/** Starts threads. `createPool` describes the parameters. */
export function startThreads({
  threads,
  tasksPerThread,
  niceIncrement,
  alsoLoad,
  onBroken,
}: ThreadSetup & {
  threads: number
  tasksPerThread: number
  niceIncrement: number
  onBroken: (error: Error) => void
}): Threads {
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
    workerData: { alsoLoad } satisfies ThreadSetup,
    maxQueue: Number.POSITIVE_INFINITY,
    // Files that one thread spills to disk are read and closed by another.
    trackUnmanagedFds: false,
    taskQueue: createTaskQueue(),
  })
  let broken: Error | null = null
  const waiting = new Set<(error: Error) => void>()
  function giveUp(cause: Error): void {
    if (broken !== null) return
    broken = new Error(`a thread cannot load its code: ${cause.message}`, { cause })
    for (const reject of waiting) reject(broken)
    onBroken(broken)
  }
  // A thread that cannot start for too many open files must not take the process with it, nor let wait for ever what
  // waits for it. Node may tell so as a module that is not there: whether it is, only another try can show.
  let failingSinceMs: number | null = null
  let startingAgain: NodeJS.Timeout | undefined
  let isClosed = false
  function startAgain(error: Error): void {
    const nowMs = performance.now()
    if (isClosed) return
    failingSinceMs = isShortage(error) || isShortOfFiles() ? null : (failingSinceMs ?? nowMs)
    if (failingSinceMs !== null && nowMs - failingSinceMs > GIVE_UP_AFTER_MS) giveUp(error)
    else startingAgain = setTimeout(wake, START_AGAIN_MS)
  }
  function wake(): void {
    const awake = () => {
      failingSinceMs = null
    }
    piscina.run(null, { name: 'wake' }).then(awake, () => undefined)
  }
  piscina.on('error', startAgain)

  return {
    // A pool that has no thread would let a task wait for ever.
    run: async (task, options) => {
      if (broken !== null) throw broken
      let reject: (error: Error) => void = () => {}
      const failing = new Promise<never>((_, fail) => {
        reject = fail
      })
      waiting.add(reject)
      try {
        return await Promise.race([piscina.run(task, options), failing])
      } catch (error) {
        // Once a thread could not start, none is started for one that dies with its task, and others would wait for
        // ever.
        if (piscina.threads.length === 0 && !isClosed) wake()
        // The first thread gets tasks before it has loaded; the next one is being started.
        if (!isCode(error, ...LOAD_FAULTS)) throw error
        throw new ServiceError('overloaded', 'a thread could not load its code', { cause: error })
      } finally {
        waiting.delete(reject)
      }
    },
    queued: () => piscina.queueSize,
    close: async () => {
      isClosed = true
      clearTimeout(startingAgain)
      // Those that were just made are told of in the next turn.
      await setImmediate()
      await Promise.all(piscina.threads.map((thread) => started.get(thread)))
      await (broken === null ? piscina.close({ force: false }) : piscina.destroy())
    },
  }
}

/** Returns whether the process has run out of file descriptors. */
function isShortOfFiles(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return false
  } catch (error) {
    return isShortage(error)
  }
}
