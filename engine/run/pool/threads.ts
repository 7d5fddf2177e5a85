import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { ServiceError } from '../../model/errors.ts'
import { isCode, isShortage } from '../../model/system-errors.ts'
import { stopwatch } from '../../storage/concurrency/intervals.ts'
import { createTaskQueue } from './task-queue.ts'
import { threadFile } from './thread-file.ts'

/**
 * Start-up data of a thread.
 *
 * @property alsoLoad paths of modules, besides export-thread.ts, whose functions it will run
 * @property loadsFormats true to preload the code of all formats
 */
export type ThreadSetup = { alsoLoad: string[]; loadsFormats: boolean }

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

/**
 * State of threads that restart. If a thread cannot start because too many files are open, the process must not die and
 * tasks must not wait for ever. Node may report that as a missing module: only a retry can show whether it is missing.
 * So the start is retried until loading has failed for GIVE_UP_AFTER_MS without a shortage. Then the pool is broken for
 * good, and refuses the tasks in `refusals` and all later ones.
 */
type State = {
  piscina: Piscina
  onBroken: (error: Error) => void
  broken: Error | null
  refusals: Set<(error: Error) => void>
  /** Time since loading began to fail; null while it does not. */
  failingMs: (() => number) | null
  startingAgain: NodeJS.Timeout | undefined
  isClosed: boolean
}

/** Starts threads. `createPool` describes the parameters. */
export function startThreads(
  given: ThreadSetup & {
    threads: number
    tasksPerThread: number
    niceIncrement: number
    onBroken: (error: Error) => void
  },
): Threads {
  const { threads, tasksPerThread, niceIncrement, alsoLoad, loadsFormats, onBroken } = given
  // An abort never kills a thread: it sets a flag that the thread polls.
  const piscina = new Piscina({
    filename: threadFile(import.meta.url, './export-thread.js'),
    name: 'computeShardInThread',
    minThreads: 1,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    maxThreads: threads,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: tasksPerThread,
    niceIncrement,
    workerData: { alsoLoad, loadsFormats } satisfies ThreadSetup,
    maxQueue: Number.POSITIVE_INFINITY,
    // Files to which one thread spills are read and closed by another.
    trackUnmanagedFds: false,
    taskQueue: createTaskQueue(),
  })
  const state: State = {
    ...{ piscina, onBroken, broken: null, refusals: new Set() },
    ...{ failingMs: null, startingAgain: undefined, isClosed: false },
  }
  piscina.on('error', (error) => startAgain(state, error))
  return {
    run: (task, options) => run(state, task, options),
    queued: () => piscina.queueSize,
    close: () => close(state),
  }
}

/** Runs a task. Without a thread, it would wait for ever, so a broken pool refuses it. */
async function run(state: State, task: unknown, options: Parameters<Threads['run']>[1]): Promise<unknown> {
  const { piscina, refusals } = state
  if (state.broken !== null) throw state.broken
  let reject: (error: Error) => void = () => {}
  const failing = new Promise<never>((_, fail) => {
    reject = fail
  })
  refusals.add(reject)
  try {
    return await Promise.race([piscina.run(task, options), failing])
  } catch (error) {
    // After a thread has failed to start, piscina starts none for one that dies with its task, and other tasks would
    // wait for ever.
    if (piscina.threads.length === 0 && !state.isClosed) wake(state)
    // The first thread gets tasks before it has loaded; another one is being started.
    if (!isCode(error, ...LOAD_FAULTS)) throw error
    throw new ServiceError('overloaded', 'a thread could not load its code', { cause: error })
  } finally {
    refusals.delete(reject)
  }
}

function startAgain(state: State, error: Error): void {
  if (state.isClosed) return
  state.failingMs = isShortage(error) || isShortOfFiles() ? null : (state.failingMs ?? stopwatch())
  if (state.failingMs !== null && state.failingMs() > GIVE_UP_AFTER_MS) giveUp(state, error)
  else state.startingAgain = setTimeout(() => wake(state), START_AGAIN_MS)
}

function wake(state: State): void {
  const awake = () => {
    state.failingMs = null
  }
  state.piscina.run(null, { name: 'wake' }).then(awake, () => undefined)
}

function giveUp(state: State, cause: Error): void {
  if (state.broken !== null) return
  const broken = new Error(`a thread cannot load its code: ${cause.message}`, { cause })
  state.broken = broken
  for (const reject of state.refusals) reject(broken)
  state.onBroken(broken)
}

async function close(state: State): Promise<void> {
  const { piscina } = state
  state.isClosed = true
  clearTimeout(state.startingAgain)
  // Events about threads that have just been created come in the next turn of the event loop.
  await setImmediate()
  await Promise.all(piscina.threads.map((thread) => started.get(thread)))
  await (state.broken === null ? piscina.close({ force: false }) : piscina.destroy())
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
