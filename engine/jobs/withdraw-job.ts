import { forEach } from '../storage/concurrency/side-by-side.ts'
import { endJob } from './end-job.ts'
import { expireJob, removeJob } from './expire-job.ts'
import { dropInterest, interestedIn } from './interest.ts'
import { listJobs } from './list-jobs.ts'
import type { Jobs } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import { FILE_NAME, jobPath } from './record/job-paths.ts'
import { findJob } from './record/read-job.ts'
import type { JobEnd } from './record/state.ts'
import { requestJob } from './request-job.ts'

/** Number of jobs that are canceled in parallel, since each waits for the disk. */
const AT_ONCE = 8

/**
 * Withdraws the interest of a token, or of all. Without any interest left, an unfinished job is canceled (its worker
 * notices within a second), and a finished one expires. Returns false if there is no such job.
 */
export async function withdrawInterest(jobs: Jobs, id: string, tokenId: string | 'all', now: Date): Promise<boolean> {
  const job = await jobs.read(id)
  if (job === null) return false
  for (const leaver of tokenId === 'all' ? await interestedIn(jobs, job) : [tokenId]) {
    await dropInterest(jobs, id, leaver)
    jobs.unfinished.drop(id, leaver)
  }
  if ((await interestedIn(jobs, job)).length > 0) return true
  await stop(jobs, job, { state: 'canceled', error: null }, now)
  // Somebody may have asked after we looked, and been told that the job is under way: then it has to be.
  for (const late of await interestedIn(jobs, job)) await requestJob(jobs, job.plan, { ...job, tokenId: late, now })
  return true
}

/**
 * Cancels every waiting job, for every token that requested it.
 *
 * @param isActive asked of each just before it is canceled
 * @param onCanceled called for each
 */
export async function cancelWaiting(
  jobs: Jobs,
  isActive: (job: Job) => Promise<boolean>,
  onCanceled: () => void,
): Promise<void> {
  const cancel = async (job: Job) => {
    if (await isActive(job)) return
    await withdrawInterest(jobs, job.id, 'all', jobs.now())
    onCanceled()
  }
  const open = (await listJobs(jobs)).filter(({ end }) => end === null)
  await forEach(open, AT_ONCE, cancel)
}

/**
 * Deletes what all snapshots of a study but one hold, by `remove`, and the files of jobs on them: before, and again
 * after, since a request that had still seen such a snapshot may begin a job meanwhile.
 */
export async function removeWithJobs<T>(
  jobs: Jobs,
  studyId: string,
  keepSnapshotId: string | null,
  now: Date,
  remove: () => Promise<T>,
): Promise<T> {
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
  const removed = await remove()
  await dropStudyJobs(jobs, studyId, keepSnapshotId, now)
  return removed
}

/**
 * Ends all jobs on a study, as failed, and deletes their files at once, except for jobs on the snapshot to keep. Jobs
 * with a filter or an analysis are deleted entirely, since they may name people; so are jobs whose damaged plan does
 * not name its study.
 */
export async function dropStudyJobs(
  jobs: Jobs,
  studyId: string,
  keepSnapshotId: string | null,
  now: Date,
): Promise<void> {
  const end = { state: 'failed', error: { code: 'gone', message: removalText(studyId, keepSnapshotId) } } as const
  for await (const each of jobs.every()) {
    const { id } = each
    // One bad read is no damage: what is whole must not be lost by it.
    const { job: found, damage } = each.damage === null ? each : await findJob(jobs, id)
    if (found === null && damage !== null) await removeJob(jobs, { id, attempt: null })
    if (found?.plan.studyId !== studyId || found.plan.snapshotId === keepSnapshotId) continue
    const job = (await jobs.read(id)) ?? (await jobs.read(id))
    if (job) await stop(jobs, job, end, now)
    // What a worker is still writing holds the same data; it finds out within a second.
    for (const name of await jobs.storage.names(jobPath(id))) {
      if (/\.(part|shards)$/.test(name) || FILE_NAME.test(name)) await jobs.storage.remove(jobPath(id, name))
    }
    if (job?.parameters.filter || job?.parameters.analysis) await removeJob(jobs, job)
  }
}

function removalText(studyId: string, keepSnapshotId: string | null): string {
  if (keepSnapshotId === null) return `study ${studyId} was deleted`
  return `data were removed from study ${studyId} after this export was requested: request it again for the study as it is now`
}

/** Ends an attempt that nobody is to get or, if it has ended, expires its file. */
async function stop(jobs: Jobs, job: Job, why: Pick<JobEnd, 'state' | 'error'>, now: Date): Promise<void> {
  const end: JobEnd = { ...why, startedAt: null, finishedAt: now.toISOString(), expiresAt: null, file: null }
  if (job.end === null && (await endJob(jobs, job.id, job.attempt, end))) return
  const ended = await jobs.read(job.id)
  if (ended?.attempt === job.attempt) await expireJob(jobs, ended, now, why.error)
}
