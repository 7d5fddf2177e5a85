import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '../errors.ts'
import { jobId, type Plan } from '../plan.ts'
import { createDurably, isCode, replaceDurably } from '../store/durable.ts'
import { isThere, readJson, removeIfEmpty } from '../store/optional-files.ts'
import { dropInterest, interestedIn, noteFirstInterest, noteInterest } from './interest.ts'
import type { Job } from './job.ts'
import { endPath, filePath, interestPath, jobPath, planPath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'
import type { PlanFile } from './read-job.ts'

/** Who asks for a plan's file, and what the job is to remember besides the plan. */
export type JobRequest = Pick<Job, 'parameters' | 'samplesTotal' | 'fileName'> & { tokenId: string; now: Date }

/** For so long a job that failed answers its failure, and is not begun again. */
export const FAILURE_STANDS_MS = 60_000
const TRIES_MAX = 20

/**
 * Asks for a plan's file, for one token. Equal plans are one job, whoever asks and from whichever process. The plan is on disk,
 * synced, when this returns. A job whose file is gone, or that failed more than 60 s ago, begins its next attempt. `begun` says
 * whether this call began the attempt; put it into the queue whenever `end` is null (adding twice is harmless).
 *
 * @throws ServiceError disk_full
 */
export async function requestJob(jobs: Jobs, plan: Plan, request: JobRequest): Promise<Job & { begun: boolean }> {
  const { tokenId, now } = request
  const id = jobId(plan)
  interestPath(jobs.root, id, tokenId)
  let begun = false
  // Withdrawals and the sweep may come between: then what was asked for is gone again, and is begun anew.
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      const { begun: isNew, attempt } = await beginOnce(jobs, id, plan, request)
      begun ||= isNew
      const isFirst = isNew && attempt === 1
      if (!isFirst) await noteInterest(jobs.root, id, attempt, tokenId)
      const job = isFirst ? await justBegun(jobs, id, plan, request) : await jobs.read(id)
      if (job === null || job.attempt !== attempt || (await isOver(jobs.root, job, now))) continue
      if (job.end === null) jobs.unfinished.add(id, tokenId)
      return { ...job, begun }
    } catch (error) {
      if (isCode(error, 'ENOSPC', 'EDQUOT')) {
        throw new ServiceError('disk_full', 'The disk is full: the job could not be recorded', { cause: error })
      }
      if (!isCode(error, 'ENOENT')) throw error
    }
  }
  throw new Error(`job ${id} is taken away as often as it is asked for`)
}

/** Takes a request back that could not be queued, as if this token had not asked; a plan that nobody else asked for goes. */
export async function takeBackRequest(jobs: Jobs, { id, attempt }: Job, tokenId: string): Promise<void> {
  const { root } = jobs
  await dropInterest(root, id, tokenId)
  jobs.unfinished.drop(id, tokenId)
  const job = await jobs.read(id)
  if (!job || job.attempt !== attempt || job.end !== null || (await interestedIn(root, job)).length > 0) return
  const path = planPath(root, id)
  const { begun, ...rest } = (await readJson<PlanFile>(path)) ?? { begun: [] }
  if (begun.length > 1) return replaceDurably(path, JSON.stringify({ ...rest, begun: begun.slice(0, -1) }, null, 2))
  await rm(path, { force: true })
  await removeIfEmpty(jobPath(root, id, 'by'))
  await removeIfEmpty(jobPath(root, id))
}

type Begun = { begun: boolean; attempt: number }

/** Equal requests of this process that come at once share one look at the disk. */
function beginOnce(jobs: Jobs, id: string, plan: Plan, request: JobRequest): Promise<Begun> {
  const underWay = jobs.beginning.get(id)
  if (underWay) return underWay.then(({ attempt }) => ({ begun: false, attempt }))
  const begun = begin(jobs, id, plan, request).finally(() => jobs.beginning.delete(id))
  jobs.beginning.set(id, begun)
  return begun
}

/** Makes sure that the plan is on disk and that its attempt is under way or fresh. Says which that is, and whether this call began it. */
async function begin(jobs: Jobs, id: string, plan: Plan, request: JobRequest): Promise<Begun> {
  const { root } = jobs
  const { now } = request
  const job = await jobs.read(id)
  if (job === null) return beginFirst(jobs, id, plan, request)
  // Whoever began it may still be at syncing it.
  if (job.end === null) await Promise.all([jobs.sync(jobPath(root, id)), jobs.sync(root)])
  if (!(await isOver(root, job, now))) return { begun: false, attempt: job.attempt }
  const { begun } = (await readJson<PlanFile>(planPath(root, id))) ?? { begun: [] }
  // Two processes at once write the same attempt, which is as good as one.
  if (begun.length === job.attempt)
    await replaceDurably(planPath(root, id), planText(plan, request, [...begun, now.toISOString()]))
  return { begun: true, attempt: job.attempt + 1 }
}

async function beginFirst(jobs: Jobs, id: string, plan: Plan, request: JobRequest): Promise<Begun> {
  const { root } = jobs
  const made = await mkdir(jobPath(root, id), { recursive: true })
  const created = createDurably(planPath(root, id), planText(plan, request, [request.now.toISOString()]))
  const noted = noteFirstInterest(root, id, request.tokenId)
  const [begun] = await Promise.all([created, noted, jobs.sync(root), syncRoot(jobs, made)])
  if (begun) return { begun, attempt: 1 }
  await jobs.sync(jobPath(root, id))
  return { begun, attempt: (await jobs.read(id))?.attempt ?? 0 }
}

function planText(plan: Plan, { parameters, samplesTotal, fileName }: JobRequest, begun: string[]): string {
  return JSON.stringify({ plan, parameters, samplesTotal, fileName, begun } satisfies PlanFile, null, 2)
}

/** `exports` itself has to outlive a crash, too: looked after once, and again should it be made anew. */
async function syncRoot(jobs: Jobs, made: string | undefined): Promise<void> {
  if (jobs.isRootSynced && made !== jobs.root) return
  await jobs.sync(dirname(jobs.root))
  jobs.isRootSynced = true
}

/** Whether a job has to be begun anew when it is asked for. */
async function isOver(root: string, job: Job, now: Date): Promise<boolean> {
  if (job.end === null) return false
  if (job.end.state === 'failed') return now.getTime() - Date.parse(job.end.finishedAt) > FAILURE_STANDS_MS
  if (job.end.state !== 'succeeded') return true
  const hasTwin = job.end.file?.gzipBytes != null
  return !((await isThere(filePath(root, job, 'csv'))) && (!hasTwin || (await isThere(filePath(root, job, 'gzip')))))
}

/** A job's first attempt that has only just been written, unless it was taken away at once. */
async function justBegun(jobs: Jobs, id: string, plan: Plan, request: JobRequest): Promise<Job | null> {
  const { root } = jobs
  const [isPlanned, hasEnded] = await Promise.all([isThere(planPath(root, id)), isThere(endPath(root, id, 1))])
  if (!isPlanned || hasEnded) return jobs.read(id)
  const { parameters, samplesTotal, fileName, now } = request
  return { id, plan, parameters, samplesTotal, fileName, createdAt: now.toISOString(), attempt: 1, end: null }
}
