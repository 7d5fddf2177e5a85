import type { Logger } from 'pino'
import { shareReads } from '../engine/files/coalesce.ts'
import { ServiceError } from '../engine/model/errors.ts'
import { jobId, type Plan } from '../engine/model/plan.ts'
import type { Config } from '../engine/model/settings.ts'
import type { JobRecord } from '../engine/store/job-files.ts'
import type { JobRequest, Jobs } from '../engine/store/jobs.ts'
import type { JobQueue } from '../worker/queue.ts'
import { freeMib } from './health.ts'
import { ProblemError } from './problems.ts'
import { openWatch } from './watch.ts'

/** Large exports: put into the queue, and held for a while. */
export type Queued = {
  /**
   * Asks for a plan's file on behalf of a token. The plan is on disk and in the queue when this returns; `begun` says that it was
   * not there before.
   *
   * @throws ServiceError queue_away within 2 s, and then nothing is left of a new plan; disk_full
   * @throws ProblemError too_many_jobs
   */
  ask: (plan: Plan, request: Omit<JobRequest, 'now'>) => Promise<JobRecord & { begun: boolean }>
  /** The job once it has ended; or, after `holdMs` or when the server stops, as it is; null when it is not there any more. */
  hold: (record: JobRecord, holdMs: number, client: AbortSignal) => Promise<JobRecord | null>
}

const LOOK_EVERY_MS = 150

export function openQueued({
  config,
  jobs,
  queue,
  log,
  stopping,
}: {
  config: Config
  jobs: Jobs
  queue: JobQueue
  log: Logger
  stopping: AbortSignal
}): Queued {
  const asking = new Map<string, ReturnType<Queued['ask']>>()
  /** Each token's jobs that are being asked for, in that order. */
  const beginning = new Map<string, Set<string>>()
  const freeOf = shareReads(freeMib)
  const watch = openWatch(jobs.get, LOOK_EVERY_MS, (error) => log.error({ err: error }, 'cannot look at a job'))

  async function begin(plan: Plan, request: Omit<JobRequest, 'now'>): ReturnType<Queued['ask']> {
    const { tokenId } = request
    const id = jobId(plan)
    const [before, isFull] = await Promise.all([jobs.get(id), isDiskFull()])
    const underWay = before !== null && before.end === null
    const mine = underWay && before.interested.includes(tokenId)
    if (!underWay && isFull) throw new ServiceError('disk_full', 'free disk is under the floor')
    if (mine) return enqueue(plan, request, mine, 0)
    const atOnce = beginning.get(tokenId) ?? new Set()
    beginning.set(tokenId, atOnce.add(id))
    try {
      const limit = config.openJobsPerToken
      let ahead = countAhead(id, await jobs.openOf(tokenId), atOnce)
      if (ahead >= limit) ahead = countAhead(id, await jobs.openOf(tokenId, { fresh: true }), atOnce)
      if (ahead >= limit) throw new ProblemError('too_many_jobs')
      return await enqueue(plan, request, mine, ahead)
    } finally {
      atOnce.delete(id)
      if (atOnce.size === 0) beginning.delete(tokenId)
    }
  }

  async function isDiskFull(): Promise<boolean> {
    const { dataDir, diskFloorMib } = config
    return diskFloorMib > 0 && (await freeOf(dataDir)) < diskFloorMib
  }

  async function enqueue(
    plan: Plan,
    request: Omit<JobRequest, 'now'>,
    mine: boolean,
    ahead: number,
  ): ReturnType<Queued['ask']> {
    const record = await jobs.request(plan, { ...request, now: new Date() })
    if (record.end !== null) return record
    try {
      await queue.add(record.id, record.attempt, ahead)
    } catch (error) {
      // What this token was promised earlier stands; the rest is as if it had not asked.
      if (!mine) await jobs.undo(record, request.tokenId)
      throw error
    }
    return record
  }

  return {
    // Equal requests at once are one: otherwise the first to find the queue away would take back what another relies on.
    ask: (plan, request) => {
      const key = `${jobId(plan)} ${request.tokenId}`
      const known = asking.get(key)
      if (known) return known
      const asked = begin(plan, request).finally(() => asking.delete(key))
      asking.set(key, asked)
      return asked
    },
    hold: (record, holdMs, client) => {
      if (record.end !== null || holdMs <= 0) return Promise.resolve(record)
      return new Promise((resolve) => {
        let latest: JobRecord | null = record
        const done = () => {
          clearTimeout(timer)
          unwatch()
          for (const signal of [client, stopping]) signal.removeEventListener('abort', done)
          resolve(latest)
        }
        const timer = setTimeout(done, holdMs)
        const unwatch = watch(record.id, (now) => {
          latest = now
          if (now === null || now.end !== null) done()
        })
        for (const signal of [client, stopping]) signal.addEventListener('abort', done)
        if (client.aborted || stopping.aborted) done()
      })
    },
  }
}

/** How many jobs a token has before this one: open ones, and those that it asks for at once, which count before they are on disk. */
function countAhead(id: string, open: ReadonlySet<string>, atOnce: Set<string>): number {
  let ahead = open.size
  for (const other of atOnce) {
    if (other === id) break
    if (!open.has(other)) ahead++
  }
  return ahead
}
