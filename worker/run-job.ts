import { setTimeout as sleep } from 'node:timers/promises'
import { isCode, isDiskFull, isShortage } from '../engine/files/durable.ts'
import { endJob } from '../engine/jobs/end-job.ts'
import type { Jobs } from '../engine/jobs/open-jobs.ts'
import type { Job } from '../engine/jobs/record/job.ts'
import { removePartsOf } from '../engine/jobs/record/job-parts.ts'
import { endPath, type JobPart } from '../engine/jobs/record/job-paths.ts'
import type { RunningJob } from '../engine/jobs/record/state.ts'
import { beginTry, handBackTry } from '../engine/jobs/tries.ts'
import { type ErrorCode, ServiceError } from '../engine/model/errors.ts'
import type { RunProgress } from '../engine/run/run-export.ts'
import { blocksOf } from './blocks-of.ts'
import type { JobContext, Log, Outcome, StopReason, Try } from './job-context.ts'
import { makePart } from './make-part.ts'
import { progressOfWhole, throttle } from './progress.ts'
import type { Payload } from './queue.ts'
import { refuseDeadly } from './refuse-deadly.ts'
import { composeParts, partsOf } from './split-job.ts'
import { writeAndPublish } from './write-export.ts'

/** Computing must stop within a second of a DELETE: this, and what is left of a test at work. */
const LOOK_EVERY_MS = 250
/** How often a job is tried in all, however it is put off. */
const TRIES_MAX = 20

/**
 * What is to be tried: an attempt at a job, or a part of one. `startedAt`, RFC 3339, is when the attempt was begun, if
 * it was; `stalls` is how often the queue found that the lock of its worker had run out.
 */
export type Tried = Pick<Payload, 'jobId' | 'attempt' | 'part' | 'startedAt'> & { stalls: number }

/**
 * Runs one try at an attempt: computes the export from its first byte, writes it, publishes it, and ends the attempt,
 * unless it is told to stop or finds that the attempt has ended, for example because it was canceled. Then it leaves
 * nothing behind. A large export is computed in parts, which are tries of their own, and composed.
 *
 * @param stop aborted with a StopReason
 * @param onProgress called at most twice a second
 * @throws only when not even the end could be written
 */
export async function runJob(
  tried: Tried,
  context: JobContext,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const outcome = await tryOnce(tried, context, stop, onProgress)
  // Of an attempt that has ended, no part is of use to anybody, and somebody may need the room.
  if (tried.part && (outcome === 'superseded' || outcome === 'failed'))
    await removePartsOf(context.jobs, tried.jobId, tried.attempt)
  return outcome
}

async function tryOnce(
  { jobId, attempt, part, startedAt: begunAt, stalls }: Tried,
  context: JobContext,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const { jobs, log } = context
  const putOff = (err: unknown, tries: number): Outcome => {
    log.warn({ jobId, attempt, part, tries, err }, 'job put off')
    return 'put off'
  }
  let job: Job | null
  try {
    job = await current(jobs, jobId, attempt)
  } catch (error) {
    if (isPassing(error)) return putOff(error, 0)
    throw error
  }
  if (job === null) return 'superseded'
  const startedAt = begunAt === undefined ? new Date() : new Date(begunAt)
  const over = new AbortController()
  const signal = AbortSignal.any([stop, over.signal])
  const looking = lookWhether(
    async () => (await jobs.disk.changedAt(endPath(jobs.root, jobId, attempt))) !== null,
    over,
    log,
  )
  const reporting = throttle(onProgress)
  let tries = 0
  try {
    tries = await beginTry(jobs, jobId, attempt, part)
    refuseDeadly(stalls, tries, context.deathsMax)
    const outcome = await compute({ job, startedAt, signal, onProgress: reporting.set }, part, context, onProgress)
    if (outcome === 'waits for parts') await handBackTry(jobs, jobId, attempt)
    return outcome
  } catch (error) {
    if (over.signal.aborted) return 'superseded'
    if (stop.aborted) {
      await handBackTry(jobs, jobId, attempt, part)
      return stop.reason as StopReason
    }
    if (isPassing(error) && tries < TRIES_MAX) return putOff(error, tries)
    const told = tell(error)
    log.error({ jobId, attempt, part, code: told.code, err: error }, 'job failed')
    const finishedAt = new Date().toISOString()
    const failed = { startedAt: startedAt.toISOString(), finishedAt, expiresAt: null, file: null, error: told }
    return (await endJob(jobs, jobId, attempt, { state: 'failed', ...failed })) ? 'failed' : 'superseded'
  } finally {
    reporting.stop()
    over.abort()
    await looking
  }
}

/**
 * Computes a part of the job, composes it of its parts, or computes it as a whole.
 *
 * @param tell of a beginning, at once
 */
async function compute(
  { job, startedAt, signal, onProgress }: Try,
  part: JobPart | undefined,
  context: JobContext,
  tell: (progress: RunningJob) => void,
): Promise<Outcome> {
  const { plan } = job
  const snapshot = await context.store.load(plan.studyId, plan.snapshotId)
  if (part !== undefined) return makePart(part, snapshot, { job, startedAt, signal, onProgress }, context)
  const of = partsOf(job, snapshot, context.splitSamples)
  if (of > 1) return composeParts(of, snapshot, { job, startedAt, signal, onProgress }, context)
  const none = { samplesDone: 0, samplesTotal: job.samplesTotal, rows: 0, bytes: 0 }
  tell(progressOfWhole(none, startedAt))
  const options = {
    snapshot,
    pool: context.pool,
    signal,
    onProgress: (done: RunProgress) => onProgress(progressOfWhole(done, startedAt)),
  }
  const blocks = (context.blocksOf ?? blocksOf)(plan, options)
  return (await writeAndPublish(job, blocks, startedAt, context)) ? 'succeeded' : 'superseded'
}

async function current(jobs: Jobs, jobId: string, attempt: number): Promise<Job | null> {
  const job = await jobs.read(jobId)
  return job && job.attempt === attempt && job.end === null ? job : null
}

/** Aborts `over` once it is; ends when `over` is aborted by anyone. */
async function lookWhether(isOver: () => Promise<boolean>, over: AbortController, log: Log): Promise<void> {
  while (!over.signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
    if (over.signal.aborted) return
    try {
      if (await isOver()) over.abort()
    } catch (error) {
      log.warn({ err: error }, 'cannot look whether a job is still wanted')
    }
  }
}

/**
 * Returns whether an error may pass: too many open files, too little memory, a store that is away, a disk that failed
 * once; or the files of the try went with its job, which was damaged, removed, and may have been asked for again, as
 * the same attempt.
 */
function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'overloaded' || error.code === 'store_away'
  return isShortage(error) || isCode(error, 'EIO', 'ENOENT')
}

/** Returns what a client may be told of an error: no path, no SQL, no stack. */
function tell(error: unknown): { code: ErrorCode | 'internal'; message: string } {
  if (isDiskFull(error)) return { code: 'disk_full', message: 'There is no space left on the disk' }
  const ended: string[] = ['corrupt', 'other_format', 'not_found', 'disk_full', 'set_aside']
  if (error instanceof ServiceError && ended.includes(error.code)) {
    return { code: error.code, message: error.message }
  }
  if (isPassing(error)) {
    return {
      code: 'overloaded',
      message: `Given up after ${TRIES_MAX} tries: too many open files, too little memory, or a store that is away`,
    }
  }
  return { code: 'internal', message: 'The export failed by a fault of Gazette; its log says more' }
}
