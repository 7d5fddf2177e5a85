import { interestOf } from './interest.ts'
import { type Jobs, REMOVED_PREFIX } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import { publishedPaths } from './record/job-files.ts'
import { namedByMarkers, removePartsOf } from './record/job-parts.ts'
import { FILE_NAME, isJobId, type JobPlace, jobPath, planPath } from './record/job-paths.ts'

/** Returns true if a worker runs an attempt. */
type IsRunning = (id: string, attempt: number) => Promise<boolean>

/**
 * Deletes leftovers of dead processes from before `olderThan`: temporary files, files without a good end, folders
 * without a plan; and all parts of ended attempts.
 */
export async function tidyJobs(jobs: Jobs, olderThan: Date, isRunning: IsRunning): Promise<void> {
  const { storage } = jobs
  for (const name of await jobs.untidy()) {
    const path = jobPath(name)
    if (name.startsWith(REMOVED_PREFIX)) await storage.removeFolder(path)
    else if (name.endsWith('.tmp') && (await isOld(jobs, path, olderThan))) await storage.remove(path)
    else if (!isJobId(name)) continue
    else if ((await storage.changedAt(planPath(name))) === null) {
      if (await isOld(jobs, path, olderThan)) await removeHalfMade(jobs, name)
    } else {
      // One whose plan is damaged is left as it is.
      const job = await jobs.read(name)
      if (job !== null) await tidyJob(jobs, job, olderThan, isRunning)
    }
  }
}

async function isOld({ storage }: JobPlace, path: string, olderThan: Date): Promise<boolean> {
  return ((await storage.changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()
}

/** Removes a directory without a plan, file by file and only if empty, since a request may be filling it again. */
async function removeHalfMade({ storage }: JobPlace, id: string): Promise<void> {
  for (const name of await storage.names(jobPath(id, 'by'))) await storage.remove(jobPath(id, 'by', name))
  for (const name of (await storage.names(jobPath(id))).filter((name) => name !== 'by' && !name.endsWith('plan.json')))
    await storage.remove(jobPath(id, name))
  await storage.removeIfEmpty(jobPath(id, 'by'))
  await storage.removeIfEmpty(jobPath(id))
}

async function tidyJob(jobs: JobPlace, job: Job, olderThan: Date, isRunning: IsRunning): Promise<void> {
  const { storage } = jobs
  if (job.end !== null) await forgetEarlier(jobs, job)
  const names = await storage.names(jobPath(job.id))
  await removePartsOf(jobs, job, job.end === null ? job.attempt - 1 : job.attempt, names)
  const named = job.end === null ? await namedByMarkers(jobs, job, names) : new Set()
  const published = publishedPaths(job)
  for (const name of names) {
    if (named.has(name) || published.has(jobPath(job.id, name))) continue
    const attempt = Number.parseInt(name, 10)
    const isPart = /\.(part|shards|tmp)$/.test(name)
    const isFile = FILE_NAME.test(name)
    if (!(isPart || isFile) || !(await isOld(jobs, jobPath(job.id, name), olderThan))) continue
    if (!(attempt > 0) || !(await isRunning(job.id, attempt))) await storage.remove(jobPath(job.id, name))
  }
}

/** Removes the tries of an ended attempt, and interests and ends of attempts before it. */
async function forgetEarlier({ storage }: JobPlace, { id, attempt }: Job): Promise<void> {
  for (const name of await storage.names(jobPath(id))) {
    const [, of, what] = /^(\d+)\.(?:put-off\.)?(tries|end\.json)$/.exec(name) ?? []
    if (what === 'tries' || Number(of) < attempt) await storage.remove(jobPath(id, name))
  }
  for (const name of await storage.names(jobPath(id, 'by')))
    if ((interestOf(name)?.attempt ?? 0) < attempt) await storage.remove(jobPath(id, 'by', name))
}
