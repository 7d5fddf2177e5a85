import { isDiskFull } from '../model/system-errors.ts'
import { removeFiles } from './end-job.ts'
import type { Jobs } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import { endPath } from './record/job-paths.ts'
import { damagedEnd, endText, readPlanFile } from './record/read-job.ts'
import type { JobEnd } from './record/state.ts'

/**
 * Deletes the file of a finished job; readers that have it open can read to its end. A job that was set aside is so no
 * longer: the next request computes it again.
 *
 * @param error reason, if it is not age, space or a withdrawal
 */
export async function expireJob(
  jobs: Jobs,
  { end, ...job }: Job,
  now: Date,
  error: JobEnd['error'] = null,
): Promise<void> {
  if (end?.state !== 'succeeded' && end?.error?.code !== 'set_aside') return
  const expired = { ...end, state: 'expired', expiresAt: now.toISOString(), error } as const
  await endWithout(jobs, { ...job, end }, withoutTests(expired))
}

/** Records that a job's file is damaged and deletes it, so that the next request computes it again. */
export async function expireDamaged(jobs: Jobs, job: Job, damage: string, now: Date): Promise<void> {
  const current = await jobs.read(job.id)
  if (current?.attempt !== job.attempt || current.end === null) return
  await endWithout(jobs, current, withoutTests(damagedEnd(current.end, damage, now.toISOString())))
}

/** Returns an end without the names of the tests of its parts, which outlive no file that has their data. */
function withoutTests(end: JobEnd): JobEnd {
  if (end.parts === undefined) return end
  return { ...end, parts: end.parts.map((part) => ({ ...part, tests: { ...part.tests, first: null, last: null } })) }
}

/**
 * Replaces the end, then deletes the file, so a reader that opens it in between still gets all of it. On a full disk
 * the file goes first, since the end needs its space.
 */
async function endWithout(jobs: Jobs, job: Job, end: JobEnd): Promise<void> {
  const { storage } = jobs
  const replace = () => storage.replace(endPath(job.id, job.attempt), endText(job.id, job.attempt, end))
  try {
    await replace()
    await removeFiles(jobs, job)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    await removeFiles(jobs, job)
    await replace()
  }
}

/**
 * Deletes a job with all of its files, unless it has been requested again since it was found.
 *
 * @param attempt null for a damaged plan
 */
export async function removeJob(jobs: Jobs, { id, attempt }: { id: string; attempt: number | null }): Promise<void> {
  await jobs.remove(id, async (path) => {
    const file = await readPlanFile(jobs, id, path).catch(() => null)
    return file === null || file.attempt === attempt
  })
}
