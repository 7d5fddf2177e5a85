import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changedAt, isThere, namesIn, removeIfEmpty } from '../files/optional-files.ts'
import { REMOVED_PREFIX } from './expire-job.ts'
import { interestOf } from './interest.ts'
import type { Job } from './job.ts'
import { namedByMarkers, removePartsOf } from './job-parts.ts'
import { FILE_NAME, isJobId, jobPath, planPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'

/** A check whether a worker is at an attempt. */
type IsRunning = (id: string, attempt: number) => Promise<boolean>

/**
 * Deletes what dead processes left behind before `olderThan`: parts, files without a good end, half-made directories; and all parts of
 * attempts that have ended.
 */
export async function tidyJobs(jobs: Jobs, olderThan: Date, isRunning: IsRunning): Promise<void> {
  const { root } = jobs
  for (const name of await namesIn(root)) {
    const path = join(root, name)
    if (name.startsWith(REMOVED_PREFIX)) await rm(path, { recursive: true, force: true })
    else if (name.endsWith('.tmp') && (await isOld(path, olderThan))) await rm(path, { force: true })
    else if (!isJobId(name)) continue
    else if (!(await isThere(planPath(root, name)))) {
      if (await isOld(path, olderThan)) await removeHalfMade(root, name)
    } else {
      // One whose plan is damaged is left as it is.
      const job = await jobs.read(name)
      if (job !== null) await tidyJob(root, job, olderThan, isRunning)
    }
  }
}

async function isOld(path: string, olderThan: Date): Promise<boolean> {
  return ((await changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()
}

/** Removes a directory without a plan, file by file and only if empty, since a request may be filling it again. */
async function removeHalfMade(root: string, id: string): Promise<void> {
  for (const name of await namesIn(jobPath(root, id, 'by'))) await rm(jobPath(root, id, 'by', name), { force: true })
  for (const name of (await namesIn(jobPath(root, id))).filter((name) => name !== 'by' && name !== 'plan.json')) {
    await rm(jobPath(root, id, name), { force: true })
  }
  await removeIfEmpty(jobPath(root, id, 'by'))
  await removeIfEmpty(jobPath(root, id))
}

async function tidyJob(root: string, job: Job, olderThan: Date, isRunning: IsRunning): Promise<void> {
  if (job.end !== null) await forgetEarlier(root, job)
  const names = await namesIn(jobPath(root, job.id))
  await removePartsOf(root, job.id, job.end === null ? job.attempt - 1 : job.attempt, names)
  const named = job.end === null ? await namedByMarkers(root, job, names) : new Set()
  for (const name of names) {
    if (named.has(name)) continue
    const attempt = Number.parseInt(name, 10)
    const isPart = /\.(part|shards|tmp)$/.test(name)
    const isFile = FILE_NAME.test(name)
    if (!(isPart || isFile) || !(await isOld(jobPath(root, job.id, name), olderThan))) continue
    if (isFile && attempt === job.attempt && job.end?.state === 'succeeded') continue
    if (!(attempt > 0) || !(await isRunning(job.id, attempt))) await rm(jobPath(root, job.id, name), { force: true })
  }
}

/** Removes the tries of an ended attempt, and interests and ends of attempts before it. */
async function forgetEarlier(root: string, { id, attempt }: Job): Promise<void> {
  for (const name of await namesIn(jobPath(root, id))) {
    const [, of, what] = /^(\d+)\.(tries|end\.json)$/.exec(name) ?? []
    if (what === 'tries' || Number(of) < attempt) await rm(jobPath(root, id, name), { force: true })
  }
  for (const name of await namesIn(jobPath(root, id, 'by'))) {
    if ((interestOf(name)?.attempt ?? 0) < attempt) await rm(jobPath(root, id, 'by', name), { force: true })
  }
}
