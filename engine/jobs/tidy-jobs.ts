import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changedAt, isThere, namesIn, readJson, removeIfEmpty } from '../store/optional-files.ts'
import { REMOVED_PREFIX } from './expire-job.ts'
import { endPath, FILE_NAME, isJobId, jobPath, planPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'
import { readJob } from './read-job.ts'
import type { JobEnd } from './state.ts'

/** Whether somebody is at an attempt. */
type IsRunning = (id: string, attempt: number) => Promise<boolean>

/** Deletes what dead processes left behind before `olderThan`: parts, files without a good end, half-made directories. */
export async function tidyJobs({ root }: Jobs, olderThan: Date, isRunning: IsRunning): Promise<void> {
  for (const name of await namesIn(root)) {
    const path = join(root, name)
    if (name.startsWith(REMOVED_PREFIX)) await rm(path, { recursive: true, force: true })
    else if (name.endsWith('.tmp') && (await isOld(path, olderThan))) await rm(path, { force: true })
    else if (!isJobId(name)) continue
    else if (await isThere(planPath(root, name))) await tidyJob(root, name, olderThan, isRunning)
    else if (await isOld(path, olderThan)) await removeHalfMade(root, name)
  }
}

async function isOld(path: string, olderThan: Date): Promise<boolean> {
  return ((await changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()
}

/** File by file and only if empty, since a request may be filling it again. */
async function removeHalfMade(root: string, id: string): Promise<void> {
  for (const tokenId of await namesIn(jobPath(root, id, 'by')))
    await rm(jobPath(root, id, 'by', tokenId), { force: true })
  for (const name of (await namesIn(jobPath(root, id))).filter((name) => name !== 'by' && name !== 'plan.json')) {
    await rm(jobPath(root, id, name), { force: true })
  }
  await removeIfEmpty(jobPath(root, id, 'by'))
  await removeIfEmpty(jobPath(root, id))
}

async function tidyJob(root: string, id: string, olderThan: Date, isRunning: IsRunning): Promise<void> {
  await forgetEarlier(root, id)
  for (const name of await namesIn(jobPath(root, id))) {
    const attempt = Number.parseInt(name, 10)
    const isPart = name.endsWith('.part') || name.endsWith('.tmp')
    const isFile = FILE_NAME.test(name)
    if (!(isPart || isFile) || !(await isOld(jobPath(root, id, name), olderThan))) continue
    if (isFile && (await readJson<JobEnd>(endPath(root, id, attempt)))?.state === 'succeeded') continue
    if (!(attempt > 0) || !(await isRunning(id, attempt))) await rm(jobPath(root, id, name), { force: true })
  }
}

/** Once an attempt has ended, nobody asks how often it was tried, or how those before it ended. */
async function forgetEarlier(root: string, id: string): Promise<void> {
  const job = await readJob(root, id)
  if (!job?.end) return
  for (const name of await namesIn(jobPath(root, id))) {
    const [, attempt, what] = /^(\d+)\.(tries|end\.json)$/.exec(name) ?? []
    if (what === 'tries' || Number(attempt) < job.attempt) await rm(jobPath(root, id, name), { force: true })
  }
}
