import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceDurably } from '../store/durable.ts'
import { readJson } from '../store/optional-files.ts'
import { removeFiles } from './end-job.ts'
import type { Job } from './job.ts'
import { endPath, jobPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'
import type { PlanFile } from './read-job.ts'
import type { JobEnd } from './state.ts'

/** What a directory of jobs is called that is being removed. */
export const REMOVED_PREFIX = '.removed-'

/** Deletes a finished job's file; whoever has it open reads on. */
export async function expireJob({ root }: Jobs, job: Job, now: Date): Promise<void> {
  if (job.end?.state !== 'succeeded') return
  // First the word, then the file: in between, a reader that opens it still gets it whole.
  const gone: JobEnd = { ...job.end, state: 'expired', expiresAt: now.toISOString() }
  await replaceDurably(endPath(root, job.id, job.attempt), JSON.stringify(gone, null, 2))
  await removeFiles(root, job)
}

/** Deletes a job with all its files, unless it has been asked for anew since this was read. */
export async function removeJob({ root }: Jobs, { id, attempt }: Job): Promise<void> {
  const aside = join(root, `${REMOVED_PREFIX}${id}-${randomBytes(6).toString('hex')}`)
  await rename(jobPath(root, id), aside)
  const file = await readJson<PlanFile>(join(aside, 'plan.json'))
  // Asked for anew just before it was moved: put it back, unless it has been asked for once more since.
  if (file && file.begun.length !== attempt) await rename(aside, jobPath(root, id)).catch(() => undefined)
  await rm(aside, { recursive: true, force: true })
}
