import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull, replaceDurably } from '../files/durable.ts'
import { removeFiles } from './end-job.ts'
import type { Job } from './job.ts'
import { endPath, jobPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'
import { damagedEnd, endText, readPlanFile } from './read-job.ts'
import type { JobEnd } from './state.ts'

/** Prefix of the directories of jobs that are being removed. */
export const REMOVED_PREFIX = '.removed-'

/** Deletes the file of a finished job; readers that have it open read on. */
export async function expireJob(jobs: Jobs, job: Job, now: Date): Promise<void> {
  if (job.end?.state !== 'succeeded') return
  await endWithout(jobs, job, { ...job.end, state: 'expired', expiresAt: now.toISOString() })
}

/** Notes that a job's file is damaged, and deletes it, so that it is computed anew when it is asked for. */
export async function expireDamaged(jobs: Jobs, job: Job, damage: string, now: Date): Promise<void> {
  const current = await jobs.read(job.id)
  if (current?.attempt !== job.attempt || current.end === null) return
  await endWithout(jobs, current, damagedEnd(current.end, damage, now.toISOString()))
}

/**
 * Replaces the end, then deletes the file, so that a reader that opens it in between still gets it whole. On a full
 * disk the file goes first, since the end needs its room.
 */
async function endWithout({ root }: Jobs, job: Job, end: JobEnd): Promise<void> {
  const replace = () => replaceDurably(endPath(root, job.id, job.attempt), endText(job.id, job.attempt, end))
  try {
    await replace()
    await removeFiles(root, job)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    await removeFiles(root, job)
    await replace()
  }
}

/** Deletes a job with all its files, unless it has been asked for anew since it was found. @param attempt null for a damaged plan */
export async function removeJob(
  { root }: Jobs,
  { id, attempt }: { id: string; attempt: number | null },
): Promise<void> {
  const aside = join(root, `${REMOVED_PREFIX}${id}-${randomBytes(6).toString('hex')}`)
  await rename(jobPath(root, id), aside)
  const file = await readPlanFile(root, id, join(aside, 'plan.json')).catch(() => null)
  // Asked for anew just before it was moved: put it back, unless it has been asked for once more since.
  if (file && file.attempt !== attempt) await rename(aside, jobPath(root, id)).catch(() => undefined)
  await rm(aside, { recursive: true, force: true })
}
