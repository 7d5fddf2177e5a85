import type { Logger } from 'pino'
import { interestedIn } from '../../engine/jobs/interest.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { type JobRequest, requestJob, takeBackRequest } from '../../engine/jobs/request-job.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { type FilePlan, jobId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import { singleFlight } from '../../engine/storage/concurrency/coalesce.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { jobFactsOf } from '../../worker/queue/payload.ts'
import { freeMib, isBelowFloor } from '../http/free-space.ts'
import { ProblemError } from '../http/problems.ts'
import { openWatch, type Watch } from './watch-jobs.ts'

/** Puts large exports into the queue, and waits for them for a while. */
export type Queued = {
  /**
   * Requests a plan's file for a token. When this returns, the plan is on disk and in the queue; `begun` tells whether
   * it is new.
   *
   * @throws ServiceError queue_away within 2 s, and then a new plan leaves nothing behind; disk_full @throws
   *   ProblemError too_many_jobs
   */
  ask: (plan: FilePlan, request: QueuedRequest) => Promise<Job & { begun: boolean }>
  /**
   * Returns the job once it has ended; after `holdMs`, or when the server stops, as it is then; null if it no longer
   * exists.
   */
  hold: (job: Job, holdMs: number, client: AbortSignal) => Promise<Job | null>
}

type QueuedRequest = Omit<JobRequest, 'now'> & { tokenName: string }
type Parts = { config: Config; jobs: Jobs; queue: JobQueue; log: Logger; stopping: AbortSignal }

const LOOK_EVERY_MS = 150

export function openQueued(parts: Parts): Queued {
  const { jobs, log, stopping } = parts
  const asking = new Map<string, ReturnType<Queued['ask']>>()
  const begin = limitedBegin(parts)
  const watch = openWatch(jobs.read, LOOK_EVERY_MS, (error) => log.error({ err: error }, 'cannot look at a job'))
  return {
    // Identical concurrent requests are coalesced: otherwise the first one to find the queue unavailable would undo
    // what another relies on.
    ask: (plan, request) => {
      const key = `${jobId(plan)} ${request.tokenId}`
      const known = asking.get(key)
      if (known) return known
      const asked = begin(plan, request).finally(() => asking.delete(key))
      asking.set(key, asked)
      return asked
    },
    hold: (job, holdMs, client) =>
      job.end !== null || holdMs <= 0 ? Promise.resolve(job) : untilEnded(job, holdMs, watch, [client, stopping]),
  }
}

/** Starts jobs, up to a limit for each token. */
function limitedBegin({ config, jobs, queue }: Parts): Queued['ask'] {
  /** Serializes the requests of each token. */
  const beginning = new Map<string, Set<string>>()
  const freeOf = singleFlight(freeMib)
  const isDiskFull = async ({ dataDir, diskFloorMib }: Config) => isBelowFloor(await freeOf(dataDir), diskFloorMib)

  return async (plan, request) => {
    const { tokenId } = request
    const id = jobId(plan)
    const [before, isFull] = await Promise.all([jobs.read(id), isDiskFull(config)])
    const underWay = before !== null && before.end === null
    if (!underWay && isFull) throw new ServiceError('disk_full', 'free disk is under the floor')
    const isMine = underWay && (await interestedIn(jobs, before)).includes(tokenId)
    if (isMine) return enqueue(jobs, queue, plan, request, { isMine, ahead: 0 })
    const atOnce = beginning.get(tokenId) ?? new Set()
    beginning.set(tokenId, atOnce.add(id))
    try {
      const limit = config.openJobsPerToken
      let ahead = countAhead(id, await jobs.unfinished.of(tokenId), atOnce)
      if (ahead >= limit) ahead = countAhead(id, await jobs.unfinished.of(tokenId, { fresh: true }), atOnce)
      if (ahead >= limit) throw new ProblemError('too_many_jobs')
      return await enqueue(jobs, queue, plan, request, { isMine, ahead })
    } finally {
      atOnce.delete(id)
      if (atOnce.size === 0) beginning.delete(tokenId)
    }
  }
}

/**
 * Requests a job and puts it into the queue.
 *
 * @param isMine whether the token already has an interest in this job; `ahead`, the number of its other open jobs
 */
async function enqueue(
  jobs: Jobs,
  queue: JobQueue,
  plan: FilePlan,
  request: QueuedRequest,
  { isMine, ahead }: { isMine: boolean; ahead: number },
): ReturnType<Queued['ask']> {
  const job = await requestJob(jobs, plan, { ...request, now: new Date() })
  if (job.end !== null) return job
  try {
    await queue.add(job.id, job.attempt, ahead, jobFactsOf(job, [request.tokenName || request.tokenId]))
  } catch (error) {
    // Jobs that were promised to this token earlier stay; everything else is undone.
    if (!isMine) await takeBackRequest(jobs, job, request.tokenId)
    throw error
  }
  return job
}

/**
 * Returns the number of jobs that a token has ahead of this one: its open jobs, and concurrent requests, which count
 * before they are on disk.
 */
function countAhead(id: string, open: ReadonlySet<string>, atOnce: Set<string>): number {
  let ahead = open.size
  for (const other of atOnce) {
    if (other === id) break
    if (!open.has(other)) ahead++
  }
  return ahead
}

/** Waits for a job's end, a timeout or an abort; returns the job as last seen. */
function untilEnded(job: Job, holdMs: number, watch: Watch<Job | null>, signals: AbortSignal[]): Promise<Job | null> {
  return new Promise((resolve) => {
    let latest: Job | null = job
    const done = () => {
      clearTimeout(timer)
      unwatch()
      for (const signal of signals) signal.removeEventListener('abort', done)
      resolve(latest)
    }
    const timer = setTimeout(done, holdMs)
    const unwatch = watch(job.id, (now) => {
      latest = now
      if (now === null || now.end !== null) done()
    })
    for (const signal of signals) signal.addEventListener('abort', done)
    if (signals.some(({ aborted }) => aborted)) done()
  })
}
