import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { deathsOf, isTransient, nextAfter, type PublicError, publicError, TRIES_MAX } from '../../engine/jobs/faults.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import type { ErrorCode } from '../../engine/model/errors.ts'
import type { Storage } from '../../engine/storage/storage.ts'
import type { Payload } from '../queue/payload.ts'
import { throttle } from '../queue/progress.ts'

/**
 * Interval at which a try checks whether it must stop. Computing must stop within a second of a DELETE, which includes
 * finishing the current test.
 */
const LOOK_EVERY_MS = 250

/**
 * Work for a try: an attempt, or a part of one. `startedAt`, RFC 3339, is the start of the attempt, if it has begun;
 * `stalls` counts how often the queue found that the lock of its worker had expired.
 */
export type Tried = Pick<Payload, 'jobId' | 'attempt' | 'part' | 'startedAt'> & { stalls: number }

/** Try: one worker's run at an attempt, or at a part of it. */
export type Try = {
  /** Start of the attempt, in this or an earlier try. */
  startedAt: Date
  /** Aborts when the try must stop, or the attempt has ended. */
  signal: AbortSignal
  /** Called often; listeners are notified twice a second (throttled). */
  onProgress: (progress: RunningJob) => void
}

/**
 * Runs a try after a while, alone in a process of its own with a memory limit.
 *
 * @throws ServiceError set_aside if that process ended by itself, overloaded if it was ended by somebody else
 */
export type RunAlone = (tried: Tried, stop: AbortSignal, onProgress: (progress: RunningJob) => void) => Promise<Outcome>

/** Settings of a try. `deathsMax`: number of deaths after which it runs alone; without `runAlone`, it already does. */
type TryParts = { deathsMax: number; runAlone?: RunAlone; log: TryLog }
type TryLog = Pick<Logger, 'info' | 'warn' | 'error'>

/** Reason why a try stops early: it is handed back, or another worker has taken it. */
export type StopReason = 'handed back' | 'lost'

/**
 * Outcome of a try. `refused`: it has succeeded in finding what is wrong with its input. `superseded`: the attempt had
 * ended, or no longer exists. `put off`: it will be retried later. `part made`: for a try at a part. `waits for parts`:
 * they are in the queue. `part damaged`: an existing part must be computed again, which counts as a try.
 */
export type Outcome =
  | 'succeeded'
  | 'failed'
  | 'refused'
  | 'superseded'
  | 'put off'
  | 'part made'
  | 'waits for parts'
  | 'part damaged'
  | StopReason

/** An unfinished attempt, as its kind of work sees it. */
export type Work = {
  /** File that counts its tries, and the storage that holds it. */
  storage: Storage
  triesPath: string
  /** Name for the log. */
  about: object
  /** Returns true if the work has ended or is no longer wanted; called four times a second. */
  isOver: () => Promise<boolean>
  /** Does the work and ends the attempt. @throws any fault */
  run: (aTry: Try) => Promise<Outcome>
  /** True if an earlier attempt was set aside. */
  wasSetAside?: boolean
  /** Ends the attempt with a permanent fault; `superseded` if it had ended. */
  fail: (told: PublicError, error: unknown, startedAt: Date) => Promise<'failed' | 'refused' | 'superseded'>
  /** Ends an attempt whose work is over but which has no end yet. */
  leave?: (startedAt: Date) => Promise<void>
  /** Returns true if this or an earlier try may have done the work, so the attempt must not be recorded as failed. */
  mayBeDone?: () => Promise<boolean>
}

/**
 * A kind of work.
 *
 * @property tells error codes whose message clients of this kind may see, in addition to those of all kinds
 */
export type TryKind = { name: string; tells: readonly ErrorCode[] }

/**
 * Runs one try of any kind: counts it, stops it on a signal or when the attempt is over, and decides after a fault
 * whether to retry.
 *
 * @param open finds the attempt; null once it has ended
 * @param stop aborted with a StopReason
 * @param onProgress called at most twice a second
 * @throws only if not even the end could be written
 */
export async function runTry(
  kind: TryKind,
  { stalls, startedAt: begunAt, ...tried }: Tried,
  open: () => Promise<Work | null>,
  parts: TryParts,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const { log } = parts
  const putOff: PutOff = (err, tries) => {
    log.warn({ ...tried, tries, err }, `${kind.name} put off`)
    return 'put off'
  }
  let work: Work | null
  try {
    work = await open()
  } catch (error) {
    if (isTransient(error)) return putOff(error, 0)
    throw error
  }
  if (work === null) return 'superseded'
  const startedAt = begunAt === undefined ? new Date() : new Date(begunAt)
  const over = new AbortController()
  const signal = AbortSignal.any([stop, over.signal])
  const looking = lookWhether(work.isOver, over, log)
  const reporting = throttle(onProgress)
  const counted: Counted = { kind, work, startedAt, log, putOff, tries: 0, own: 0 }
  try {
    return await runCounted(counted, { ...tried, stalls }, parts, { startedAt, signal, onProgress: reporting.set })
  } catch (error) {
    if (!over.signal.aborted) return await afterFault(counted, error, stop)
    // The worker that took it over ends it.
    if (!stop.aborted) await work.leave?.(startedAt)
    return 'superseded'
  } finally {
    reporting.stop()
    over.abort()
    await looking
  }
}

type PutOff = (error: unknown, tries: number) => Outcome

/**
 * Work whose tries are counted. `own`: tries that the file counts for this one; none while it runs alone, in a process
 * that counts it.
 */
type Counted = {
  kind: TryKind
  work: Work
  startedAt: Date
  log: TryLog
  putOff: PutOff
  tries: number
  own: number
}

/** Counts a try, and runs it: alone, if earlier ones seem to have ended their workers. */
async function runCounted(
  counted: Counted,
  tried: Tried,
  { deathsMax, runAlone, log }: TryParts,
  aTry: Try,
): Promise<Outcome> {
  const { kind, work } = counted
  const { storage, triesPath, about } = work
  const tries = await storage.append(triesPath, '.')
  Object.assign(counted, { tries, own: 1 })
  const isSuspected = deathsOf(tried.stalls, tries) >= deathsMax || work.wasSetAside === true
  if (runAlone !== undefined && isSuspected) {
    await storage.shorten(triesPath, 1)
    counted.own = 0
    log.warn({ ...about, tries }, `${kind.name} runs alone, since its workers died`)
    return runAlone({ ...tried, startedAt: aTry.startedAt.toISOString() }, aTry.signal, aTry.onProgress)
  }
  const outcome = await work.run(aTry)
  if (outcome === 'waits for parts') await storage.shorten(triesPath, 1)
  return outcome
}

/** Decides after a fault whether to retry, and ends the attempt if not. */
async function afterFault(counted: Counted, error: unknown, stop: AbortSignal): Promise<Outcome> {
  const { kind, work, startedAt, log, putOff, tries, own } = counted
  const next = nextAfter(error, tries)
  if (own > 0 && (stop.aborted || next === 'waits')) await work.storage.shorten(work.triesPath, own)
  if (stop.aborted) return stop.reason as StopReason
  if (next !== 'over' || (tries < TRIES_MAX && (await work.mayBeDone?.()))) return putOff(error, tries)
  const told = publicError(error, kind)
  const outcome = await work.fail(told, error, startedAt)
  const isFault = outcome === 'failed' || told.code === 'internal'
  log[isFault ? 'error' : 'info']({ ...work.about, code: told.code, err: error }, `${kind.name} ${outcome}`)
  return outcome
}

/** Polls whether the work is over, and then aborts `over`. Stops when `over` is aborted for any reason. */
async function lookWhether(isOver: () => Promise<boolean>, over: AbortController, log: TryLog): Promise<void> {
  while (!over.signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
    if (over.signal.aborted) return
    try {
      if (await isOver()) over.abort()
    } catch (error) {
      log.warn({ err: error }, 'cannot check whether a job is still wanted')
    }
  }
}
