import type { Job } from '../../engine/jobs/record/job.ts'
import { type FinishedPart, type JobEnd, type RunningJob, totalsOf } from '../../engine/jobs/record/state.ts'
import { filesAskedFor, isPackage, type PackagePlan, type Plan } from '../../engine/model/plan.ts'
import { isQueueFault } from '../../worker/queue/circuit-breaker.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { PROBLEMS, ProblemError, problemBody } from '../http/problems.ts'
import type { JobView } from '../schemas/job.ts'
import type { SignFile } from './direct-file.ts'
import { type PublishedFile, publishedFile, publishedParts } from './published.ts'

/** Returns the view of a job: from its end on disk, otherwise from the queue. */
type ViewJob = (job: Job) => Promise<JobView>

/**
 * Returns a function that views jobs, for one request. If the queue fails to answer once, it is not asked again, so a
 * long list waits for it only once. While the queue is unavailable, a job without an end is `queued`: it is on disk and
 * will be queued again.
 *
 * @param sign presigns the URLs of files, for the view of a single job; null for lists, which do not list parts, either
 */
export function openView(queue: Pick<JobQueue, 'progress'>, sign: SignFile | null = null): ViewJob {
  let isAway = false
  const progressOf = async ({ id, attempt, end }: Job): Promise<RunningJob | null> => {
    if (isAway || end !== null) return null
    try {
      return await queue.progress(id, attempt)
    } catch (error) {
      if (!isQueueFault(error)) throw error
      isAway = true
      return null
    }
  }
  return async (job) => {
    const seen = view(job, await progressOf(job))
    if (sign === null) return seen
    const parts = await Promise.all(
      publishedParts(job).map(async (part) => ({ ...partView(job, part), ...(await sign(job, part)) })),
    )
    const file = seen.file && { ...seen.file, ...(await sign(job, publishedFile(job)!)) }
    return { ...seen, file, ...(parts.length > 0 ? { parts } : {}) }
  }
}

/** Returns the view of a job that has just been queued. */
export const viewQueued = (job: Job): JobView => view(job, null)

/** Returns a job as clients see it. @param running progress; null unless a worker is running the job */
function view(job: Job, running: RunningJob | null): JobView {
  const { id, plan, parameters, createdAt, end } = job
  const partCount = filesAskedFor(plan)
  const file = publishedFile(job)
  return {
    id,
    export: plan.export,
    study: { id: plan.studyId },
    snapshot: plan.snapshotId,
    parameters,
    state: end?.state ?? (running === null ? 'queued' : 'running'),
    progress: progressView(job, running),
    createdAt,
    startedAt: end?.startedAt ?? running?.startedAt ?? null,
    finishedAt: end?.finishedAt ?? null,
    expiresAt: end?.expiresAt ?? null,
    file: file && fileView(job, file),
    ...(partCount === null ? {} : { partCount }),
    error: end?.error ? problemBody(failureOf(end.error)) : null,
    ...(isPackage(plan) ? packageView(plan) : formatView(plan)),
  }
}

function formatView({ format }: Plan): Pick<JobView, 'format'> {
  return format ? { format } : {}
}

function packageView({ tables, leavesOutEmpty }: PackagePlan): Pick<JobView, 'format' | 'exports'> {
  const exports = leavesOutEmpty ? {} : { exports: tables.map((table) => table.export) }
  return { ...exports, ...formatView(tables[0]) }
}

/**
 * Returns the engine's message about a failure, in words and file names without paths; for any other error, a fixed
 * text.
 */
const TELLABLE = /^[\w ,.:()-]{1,200}$/

/** Returns the problem of a failed job. */
export function failureOf({ code, message }: NonNullable<JobEnd['error']>): ProblemError {
  const isTellable = code !== 'internal' && TELLABLE.test(message)
  return new ProblemError(code, isTellable ? { detail: `${PROBLEMS[code].detail} The reason: ${message}.` } : {})
}

function progressView({ samplesTotal, end }: Job, running: RunningJob | null): JobView['progress'] {
  const made = totalsOf(end)
  if (made !== null) {
    const { samples: samplesDone, rows, bytes } = made
    return { percent: 100, samplesDone, samplesTotal, rows, bytes, etaSeconds: 0 }
  }
  const { percent = 0, samplesDone = 0, rows = 0, bytes = 0, etaSeconds = null, parts } = running ?? {}
  const ofParts = parts ? { partsDone: parts.there.length, partsTotal: parts.of } : {}
  return { percent, samplesDone, samplesTotal, rows, bytes, etaSeconds, ...ofParts }
}

function partView(job: Job, part: PublishedFile & FinishedPart): NonNullable<JobView['parts']>[number] {
  const { number, samples, tests } = part
  return { number: number!, ...fileView(job, part), samples, tests }
}

function fileView({ id }: Job, { number, fileName, rows, plain, gzip }: PublishedFile): NonNullable<JobView['file']> {
  return {
    href: `/api2/jobs/${id}/${number === null ? 'file' : `parts/${number}`}`,
    name: fileName,
    bytes: plain.bytes,
    gzipBytes: gzip?.bytes ?? null,
    rows,
    sha256: plain.sha256,
    gzipSha256: gzip?.sha256 ?? null,
  }
}

/** Returns the Retry-After of a job, in s: half of the estimated remaining time, within limits. */
export function retryAfter({ progress }: JobView): string {
  return String(Math.min(30, Math.max(1, Math.ceil((progress.etaSeconds ?? 2) / 2))))
}
