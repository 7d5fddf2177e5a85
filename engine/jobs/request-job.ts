import { basename } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import { type FilePlan, jobId } from '../model/plan.ts'
import { isCode, isDiskFull } from '../model/system-errors.ts'
import { checkTokenId, dropInterest, interestedIn, interestOf, noteInterest } from './interest.ts'
import type { Jobs } from './open-jobs.ts'
import type { Job } from './record/job.ts'
import { filesOf } from './record/job-files.ts'
import { endPath, JOBS, type JobPlace, jobPath, planPath } from './record/job-paths.ts'
import { findJob, planText, readPlanFile } from './record/read-job.ts'
import type { JobEnd } from './record/state.ts'

/** A request for a plan's file: who asks, and what the job remembers besides the plan. `isRetry`: no failure stands. */
export type JobRequest = Pick<Job, 'parameters' | 'samplesTotal' | 'fileName'> & {
  tokenId: string
  now: Date
  isRetry?: boolean
}

const FAILURE_STANDS_MS = 60_000
const SET_ASIDE_MS = 3_600_000

/**
 * Returns true if a request for a failed job gets its failure: for 60 s, or for an hour if the job was set aside. It is
 * over earlier if a retry is requested.
 */
export function isStanding({ finishedAt, error }: JobEnd, now: Date): boolean {
  const standsMs = error?.code === 'set_aside' ? SET_ASIDE_MS : FAILURE_STANDS_MS
  return now.getTime() - Date.parse(finishedAt) <= standsMs
}
const TRIES_MAX = 20

/**
 * Requests a plan's file, for one token. Equal plans are one job, for all tokens and from all processes. The plan is on
 * disk, synced, when this returns. A job whose file is gone, that is damaged, or that failed more than 60 s ago begins
 * its next attempt. `begun` says whether this call began the attempt; put it into the queue whenever `end` is null
 * (adding twice is harmless).
 *
 * @throws ServiceError disk_full
 */
export async function requestJob(jobs: Jobs, plan: FilePlan, request: JobRequest): Promise<Job & { begun: boolean }> {
  const { tokenId } = request
  const id = jobId(plan)
  checkTokenId(tokenId)
  let begun = false
  // Withdrawals and the sweep may come between: then what was asked for is gone again, and is begun anew.
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      const { begun: isNew, attempt } = await beginOnce(jobs, id, plan, request)
      begun ||= isNew
      const isFirst = isNew && attempt === 1
      if (!isFirst) await noteInterest(jobs, id, attempt, tokenId)
      const job = isFirst ? await justBegun(jobs, id, plan, request) : await jobs.read(id)
      if (job === null || job.attempt !== attempt || (await isOver(jobs, job, request))) continue
      if (job.end === null) jobs.unfinished.add(id, tokenId)
      return { ...job, begun }
    } catch (error) {
      if (isDiskFull(error)) {
        throw new ServiceError('disk_full', 'The disk is full: the job could not be recorded', { cause: error })
      }
      if (!isCode(error, 'ENOENT')) throw error
    }
  }
  throw new Error(`job ${id} is taken away as often as it is asked for`)
}

/**
 * Withdraws a request that could not be queued, as if this token had made none; a plan without any other interest is
 * deleted.
 */
export async function takeBackRequest(jobs: Jobs, { id, attempt }: Job, tokenId: string): Promise<void> {
  const { storage } = jobs
  await dropInterest(jobs, id, tokenId)
  jobs.unfinished.drop(id, tokenId)
  const job = await jobs.read(id)
  if (!job || job.attempt !== attempt || job.end !== null || (await interestedIn(jobs, job)).length > 0) return
  const file = await readPlanFile(jobs, id)
  if (file && file.createdBefore !== null) {
    const before = { ...file, attempt: attempt - 1, createdAt: file.createdBefore, createdBefore: null }
    return storage.replace(planPath(id), planText(id, before))
  }
  await storage.remove(planPath(id))
  await storage.removeIfEmpty(jobPath(id, 'by'))
  await storage.removeIfEmpty(jobPath(id))
}

type Begun = { begun: boolean; attempt: number }

/** Coalesces identical concurrent requests of this process into one. */
function beginOnce(jobs: Jobs, id: string, plan: FilePlan, request: JobRequest): Promise<Begun> {
  const underWay = jobs.beginning.get(id)
  if (underWay) return underWay.then(({ attempt }) => ({ begun: false, attempt }))
  const begun = begin(jobs, id, plan, request).finally(() => jobs.beginning.delete(id))
  jobs.beginning.set(id, begun)
  return begun
}

/**
 * Makes sure that the plan is on disk and its attempt is under way or fresh. Returns the attempt, and whether this call
 * began it.
 */
async function begin(jobs: Jobs, id: string, plan: FilePlan, request: JobRequest): Promise<Begun> {
  const { storage } = jobs
  const { job, damage } = await findJob(jobs, id)
  if (job === null && damage === null) return beginFirst(jobs, id, plan, request)
  if (job === null) {
    const fresh = { attempt: await nextAttempt(jobs, id), createdBefore: null }
    return beginAttempt(jobs, id, plan, request, fresh)
  }
  // The process that began it may still be syncing it.
  if (job.end === null) await Promise.all([jobPath(id), JOBS].map(storage.sync))
  if (!(await isOver(jobs, job, request))) return { begun: false, attempt: job.attempt }
  const next = { attempt: job.attempt + 1, createdBefore: job.createdAt }
  // Two processes at once write the same attempt, which is as good as one.
  if ((await readPlanFile(jobs, id))?.attempt !== job.attempt) return { begun: true, attempt: next.attempt }
  return beginAttempt(jobs, id, plan, request, next)
}

async function beginFirst(jobs: Jobs, id: string, plan: FilePlan, request: JobRequest): Promise<Begun> {
  const { storage } = jobs
  await storage.makeFolder(jobPath(id))
  const created = storage.create(planPath(id), requestText(id, plan, request, { attempt: 1, createdBefore: null }))
  const noted = noteInterest(jobs, id, 1, request.tokenId)
  const [begun] = await Promise.all([created, noted, storage.sync(JOBS)])
  if (begun) return { begun, attempt: 1 }
  await storage.sync(jobPath(id))
  return { begun, attempt: (await jobs.read(id))?.attempt ?? 0 }
}

type AttemptOf = { attempt: number; createdBefore: string | null }

async function beginAttempt(
  { storage }: Jobs,
  id: string,
  plan: FilePlan,
  request: JobRequest,
  which: AttemptOf,
): Promise<Begun> {
  await storage.replace(planPath(id), requestText(id, plan, request, which))
  return { begun: true, attempt: which.attempt }
}

function requestText(id: string, plan: FilePlan, request: JobRequest, { attempt, createdBefore }: AttemptOf): string {
  const { parameters, samplesTotal, fileName, now } = request
  return planText(id, {
    plan,
    parameters,
    samplesTotal,
    fileName,
    attempt,
    createdAt: now.toISOString(),
    createdBefore,
  })
}

/**
 * Returns a higher attempt than any that a job with an unreadable plan may have had, so that none of their files are
 * reused.
 */
async function nextAttempt({ storage }: JobPlace, id: string): Promise<number> {
  const asked = (await storage.names(jobPath(id, 'by'))).map((name) => interestOf(name)?.attempt ?? 1)
  const made = (await storage.names(jobPath(id))).map((name) => Number.parseInt(name, 10) || 1)
  return Math.max(1, ...asked, ...made) + 1
}

/** Returns true if a request has to start a new attempt at a job. */
async function isOver({ storage }: JobPlace, job: Job, { now, isRetry }: JobRequest): Promise<boolean> {
  if (job.end === null) return false
  if (job.end.state === 'failed') return isRetry || !isStanding(job.end, now)
  if (job.end.state !== 'succeeded') return true
  const names = new Set(await storage.names(jobPath(job.id)))
  return filesOf(job).some(({ path }) => !names.has(basename(path)))
}

/**
 * Returns the first attempt of a job that was just written, without reading it; reads the job if it has been withdrawn
 * meanwhile.
 */
async function justBegun(jobs: Jobs, id: string, plan: FilePlan, request: JobRequest): Promise<Job | null> {
  const { storage } = jobs
  const [plannedAt, endedAt] = await Promise.all([planPath(id), endPath(id, 1)].map(storage.changedAt))
  if (plannedAt === null || endedAt !== null) return jobs.read(id)
  const { parameters, samplesTotal, fileName, now } = request
  return { id, plan, parameters, samplesTotal, fileName, createdAt: now.toISOString(), attempt: 1, end: null }
}
