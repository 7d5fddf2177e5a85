import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing, nextAfter, type PublicError, publicError, refuseDeadly, TRIES_MAX } from '../engine/jobs/faults.ts'
import type { JobDisk } from '../engine/jobs/record/job-disk.ts'
import type { RunningJob } from '../engine/jobs/record/state.ts'
import type { ErrorCode } from '../engine/model/errors.ts'
import type { Log } from './job-context.ts'
import { throttle } from './progress.ts'
import type { Payload } from './queue.ts'

/** Computing must stop within a second of a DELETE: this, and what is left of a test at work. */
const LOOK_EVERY_MS = 250

/**
 * Work to try: an attempt, or a part of one. `startedAt`, RFC 3339, is when the attempt was begun, if it was; `stalls`
 * is how often the queue found that the lock of its worker had run out.
 */
export type Tried = Pick<Payload, 'jobId' | 'attempt' | 'part' | 'startedAt'> & { stalls: number }

/** Try: one worker's run at an attempt, or at a part of it. */
export type Try = {
  /** Start of the attempt, by whichever try. */
  startedAt: Date
  /** Aborts when the try is to stop, or the attempt has ended. */
  signal: AbortSignal
  /** Called often; listeners are notified twice a second (throttled). */
  onProgress: (progress: RunningJob) => void
}

/** The reason why a try stops before its end: it is handed back, or another worker has taken it. */
export type StopReason = 'handed back' | 'lost'

/**
 * `refused`: it has done what it is for, and that is to say what is wrong with what it was given. `superseded`: the
 * attempt had ended, or does not exist any more. `put off`: it is to be tried again later. `part made`: of a try at a
 * part. `waits for parts`: they are in the queue. `part damaged`: it was there and is computed anew, which counts as a
 * try.
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

/** An attempt that has not ended, as its kind of work has it. */
export type Work = {
  /** The file that counts its tries, and the disk that has it. */
  disk: Pick<JobDisk, 'addTry' | 'takeTry'>
  triesPath: string
  /** Name in the log. */
  about: object
  /** Returns true if the work has ended or is no longer wanted; called four times a second. */
  isOver: () => Promise<boolean>
  /** Does the work and ends it. @throws whatever goes wrong */
  run: (aTry: Try) => Promise<Outcome>
  /** Ends the work with a permanent fault; `superseded` if it had ended. */
  fail: (told: PublicError, error: unknown, startedAt: Date) => Promise<'failed' | 'refused' | 'superseded'>
  /** Ends work that is over but has no end yet. */
  leave?: (startedAt: Date) => Promise<void>
  /** Returns true if the work may have been done, by this try or an earlier one, so that it has not failed. */
  mayBeDone?: () => Promise<boolean>
}

/** @property tells codes of errors that clients of this kind may be told, besides those of all */
export type TryKind = { name: string; tells: readonly ErrorCode[] }

/**
 * Runs one try of any kind: counts it, stops it on a signal or when the attempt is over, and decides after a fault
 * whether it is retried.
 *
 * @param open finds the attempt; null once it has ended
 * @param stop aborted with a StopReason
 * @param onProgress called at most twice a second
 * @throws only when not even the end could be written
 */
export async function runTry(
  kind: TryKind,
  { stalls, startedAt: begunAt, ...tried }: Tried,
  open: () => Promise<Work | null>,
  { deathsMax, log }: { deathsMax: number; log: Log },
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const putOff = (err: unknown, tries: number): Outcome => {
    log.warn({ ...tried, tries, err }, `${kind.name} put off`)
    return 'put off'
  }
  let work: Work | null
  try {
    work = await open()
  } catch (error) {
    if (isPassing(error)) return putOff(error, 0)
    throw error
  }
  if (work === null) return 'superseded'
  const { disk, triesPath, about } = work
  const startedAt = begunAt === undefined ? new Date() : new Date(begunAt)
  const over = new AbortController()
  const signal = AbortSignal.any([stop, over.signal])
  const looking = lookWhether(work.isOver, over, log)
  const reporting = throttle(onProgress)
  let tries = 0
  try {
    tries = await disk.addTry(triesPath)
    refuseDeadly(stalls, tries, deathsMax)
    const outcome = await work.run({ startedAt, signal, onProgress: reporting.set })
    if (outcome === 'waits for parts') await disk.takeTry(triesPath)
    return outcome
  } catch (error) {
    if (over.signal.aborted) {
      // Whoever took it over ends it.
      if (!stop.aborted) await work.leave?.(startedAt)
      return 'superseded'
    }
    const next = nextAfter(error, tries)
    if (tries > 0 && (stop.aborted || next === 'waits')) await disk.takeTry(triesPath)
    if (stop.aborted) return stop.reason as StopReason
    if (next !== 'over' || (tries < TRIES_MAX && (await work.mayBeDone?.()))) return putOff(error, tries)
    const told = publicError(error, kind)
    const outcome = await work.fail(told, error, startedAt)
    const isFault = outcome === 'failed' || told.code === 'internal'
    log[isFault ? 'error' : 'info']({ ...about, code: told.code, err: error }, `${kind.name} ${outcome}`)
    return outcome
  } finally {
    reporting.stop()
    over.abort()
    await looking
  }
}

/** Aborts `over` once it is; ends when `over` is aborted by anyone. */
async function lookWhether(isOver: () => Promise<boolean>, over: AbortController, log: Log): Promise<void> {
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
