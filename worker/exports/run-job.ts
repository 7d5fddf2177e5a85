import { failJob } from '../../engine/jobs/end-job.ts'
import { interestedIn } from '../../engine/jobs/interest.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { type AttemptPart, endPath, triesPath } from '../../engine/jobs/record/job-paths.ts'
import { findEnd } from '../../engine/jobs/record/read-job.ts'
import { type RunningJob, totalsOf } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { isLaterVersion, VERSION } from '../../engine/model/version.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import { type EndedPayload, jobFactsOf } from '../queue/payload.ts'
import { progressOfWhole } from '../queue/progress.ts'
import { blocksOf } from '../tries/blocks-of.ts'
import type { JobContext } from '../tries/job-context.ts'
import type { Promised } from '../tries/put-back.ts'
import { type Outcome, runTry, type Tried, type TryKind, type Work } from '../tries/try.ts'
import { type JobTry, makePart } from './make-part.ts'
import { joinParts, partCountOf, removeUnpublished } from './split-job.ts'
import { writeAndPublish } from './write-files.ts'

const EXPORT: TryKind = { name: 'export', tells: [] }

/**
 * Runs one try at an attempt: computes the export from its first byte, writes and publishes it, and ends the attempt.
 * If it is stopped, or finds that the attempt has ended (for example by a cancellation), it leaves nothing behind. A
 * large export is computed in parts, which have tries of their own, and then composed.
 *
 * @param stop aborted with a StopReason
 * @param onProgress called at most twice a second
 * @throws only if not even the end could be written
 */
export async function runJob(
  tried: Tried,
  context: JobContext,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const outcome = await runTry(EXPORT, tried, () => openAttempt(tried, context), context, stop, onProgress)
  if (tried.part && (outcome === 'superseded' || outcome === 'failed'))
    await removeUnpublished(context.jobs, tried.jobId, tried.attempt)
  return outcome
}

async function openAttempt({ jobId, attempt, part }: Tried, context: JobContext): Promise<Work | null> {
  const { jobs } = context
  const job = await jobs.read(jobId)
  if (job?.attempt !== attempt || job.end !== null) return null
  const { version } = job.plan
  if (isLaterVersion(version))
    throw new ServiceError('busy', `the job is for Gazette ${version}, and waits for it: this worker is ${VERSION}`)
  return {
    storage: jobs.storage,
    triesPath: triesPath(jobId, attempt, part),
    about: { jobId, attempt, part },
    isOver: async () => (await jobs.storage.changedAt(endPath(jobId, attempt))) !== null,
    wasSetAside: attempt > 1 && (await findEnd(jobs, jobId, attempt - 1))?.error?.code === 'set_aside',
    run: (aTry) => compute({ job, ...aTry }, part, context),
    fail: async (told, _error, startedAt) => ((await failJob(jobs, job, told, startedAt)) ? 'failed' : 'superseded'),
  }
}

/** Computes a part of the job, composes its parts, or computes it as a whole. */
async function compute(jobTry: JobTry, part: AttemptPart | undefined, context: JobContext): Promise<Outcome> {
  const { job, startedAt, signal, onProgress } = jobTry
  const { plan } = job
  const snapshot = await context.studies.load(plan.studyId, plan.snapshotId)
  if (part !== undefined) return makePart(part, snapshot, jobTry, context)
  const of = partCountOf(job, snapshot, context.splitSamples)
  if (of !== null) return joinParts(of, snapshot, jobTry, context)
  const none = { samplesDone: 0, samplesTotal: job.samplesTotal, rows: 0, bytes: 0 }
  onProgress(progressOfWhole(none, startedAt))
  const options = {
    snapshot,
    pool: context.pool,
    signal,
    onProgress: (done: RunProgress) => onProgress(progressOfWhole(done, startedAt)),
  }
  const blocks = (context.blocksOf ?? blocksOf)(plan, options)
  return (await writeAndPublish(job, blocks, startedAt, context)) ? 'succeeded' : 'superseded'
}

/** Returns the data about the end of a job that the queue stores. */
export async function endOfExport({ jobs }: JobContext, jobId: string): Promise<EndedPayload> {
  const end = (await jobs.read(jobId))?.end ?? null
  const [made, error] = [totalsOf(end), end?.error]
  if (made) return { state: 'succeeded', rows: made.rows, bytes: made.bytes }
  return error ? { state: 'failed', message: `${error.message} (${error.code})` } : { state: 'ended' }
}

/** Returns an unfinished job as promised work. */
export function promisedJob(jobs: Jobs, { id, attempt }: Job): Promised {
  const again = async () => {
    const job = await jobs.read(id)
    if (job?.attempt !== attempt || job.end !== null) return null
    const tokenIds = await interestedIn(jobs, job)
    return { facts: jobFactsOf(job, tokenIds), tokenIds }
  }
  return { id, attempt, again }
}
