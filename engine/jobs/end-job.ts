import { isCode } from '../model/system-errors.ts'
import { notifyJob } from '../webhooks/notify-job.ts'
import type { Jobs } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import { filesOf } from './record/job-files.ts'
import { endPath, filePath, type JobPlace, type PartFiles } from './record/job-paths.ts'
import { endText } from './record/read-job.ts'
import { type JobEnd, totalsOf } from './record/state.ts'

/** Publishes the end of an attempt, unless it is not the current one or has ended already. Returns whether it did. */
export async function endJob(jobs: Jobs, id: string, attempt: number, end: JobEnd): Promise<boolean> {
  const job = await currentAttempt(jobs, id, attempt)
  if (job === null) return false
  await tellEnd(jobs, job, end)
  try {
    const hasEnded = await jobs.storage.create(endPath(id, attempt), endText(id, attempt, end))
    if (hasEnded) jobs.unfinished.drop(id)
    return hasEnded
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

/** Ends an attempt as failed, under the same conditions. */
export function failJob(
  jobs: Jobs,
  { id, attempt }: Pick<Job, 'id' | 'attempt'>,
  error: NonNullable<JobEnd['error']>,
  startedAt: Date,
): Promise<boolean> {
  const times = { startedAt: startedAt.toISOString(), finishedAt: jobs.now().toISOString(), expiresAt: null }
  return endJob(jobs, id, attempt, { state: 'failed', ...times, file: null, error })
}

/** Notifies webhooks of an end that is about to be written. */
async function tellEnd(
  { webhooksIn }: Jobs,
  { id, attempt, plan }: Job,
  { state, finishedAt, file, parts, error }: JobEnd,
): Promise<void> {
  if (webhooksIn === null) return
  if (state !== 'succeeded' && state !== 'failed') return
  const told = file && { bytes: file.plain.bytes, rows: file.rows, sha256: file.plain.sha256 }
  const { bytes = 0, rows = 0 } = totalsOf({ file, parts }) ?? {}
  const made = { file: told, parts: parts ? { count: parts.length, bytes, rows } : null }
  await notifyJob(webhooksIn, { id, attempt, plan, state, finishedAt, ...made, errorCode: error?.code ?? null })
}

/**
 * Renames written and synced files to their final names and publishes the end, under the same conditions as `endJob`;
 * otherwise deletes the files.
 */
export async function publishFile(
  jobs: Jobs,
  { id, attempt }: Pick<Job, 'id' | 'attempt'>,
  parts: PartFiles,
  end: JobEnd,
): Promise<boolean> {
  const job = await currentAttempt(jobs, id, attempt)
  if (job === null) {
    await removeParts(jobs, parts)
    return false
  }
  try {
    await jobs.storage.rename(parts.plain, filePath(job, 'plain'))
    if (end.file?.gzip) await jobs.storage.rename(parts.gzip, filePath(job, 'gzip'))
    // The directory is synced with the end. Should that outlive these names in a crash, it says of files that they are
    // gone.
    if (await endJob(jobs, id, attempt, end)) return true
  } catch (error) {
    // Without an end they are no files of anybody's, and with a full disk the next thing needs their space.
    await removeParts(jobs, parts)
    await removeUnended(jobs, job)
    throw error
  }
  await removeUnended(jobs, job)
  return false
}

/** Returns the job, if this attempt is its current one and has not ended. */
async function currentAttempt(jobs: Jobs, id: string, attempt: number): Promise<Job | null> {
  const job = await jobs.read(id)
  return job && job.attempt === attempt && job.end === null ? job : null
}

async function removeParts({ storage }: Jobs, { plain, gzip }: PartFiles): Promise<void> {
  await Promise.all([plain, gzip].map(storage.remove))
}

/**
 * Removes the files of an attempt that another try has ended, unless that try succeeded and so wrote the same bytes.
 */
async function removeUnended(jobs: Jobs, job: Job): Promise<void> {
  const now = await jobs.read(job.id)
  if (now?.attempt !== job.attempt || now.end?.state !== 'succeeded') await removeFiles(jobs, job)
}

/** Removes all files of a job, also one whose end does not name it. */
export async function removeFiles({ storage }: JobPlace, job: Job): Promise<void> {
  const paths = new Set([filePath(job, 'plain'), filePath(job, 'gzip'), ...filesOf(job).map(({ path }) => path)])
  for (const path of paths) await storage.remove(path)
}
