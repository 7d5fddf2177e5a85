import type { Logger } from 'pino'
import type { Config } from '../engine/config.ts'
import { ServiceError } from '../engine/errors.ts'
import { jobId, type Plan } from '../engine/plan.ts'
import type { JobRecord, JobRequest, Jobs } from '../engine/store/jobs.ts'
import type { JobQueue } from '../worker/queue.ts'
import { freeMib } from './health.ts'
import { ProblemError } from './problems.ts'
import { openWatch } from './watch.ts'

/** Large exports: put into the queue, and held for a while. */
export type Queued = {
  /**
   * Asks for a plan's file on behalf of a token. The plan is on disk and in the queue when this returns.
   *
   * @throws ServiceError queue_away within 2 s, and then nothing is left of a new plan; disk_full
   * @throws ProblemError too_many_jobs
   */
  ask: (plan: Plan, request: Omit<JobRequest, 'now'>) => Promise<JobRecord>
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
  const asking = new Map<string, Promise<JobRecord>>()
  const beginning = new Map<string, number>()
  const watch = openWatch(jobs.get, LOOK_EVERY_MS, (error) => log.error({ err: error }, 'cannot look at a job'))

  async function begin(plan: Plan, request: Omit<JobRequest, 'now'>): Promise<JobRecord> {
    const { tokenId } = request
    const before = await jobs.get(jobId(plan))
    const underWay = before !== null && before.end === null
    const mine = underWay && before.interested.includes(tokenId)
    if (!underWay) await refuseWhenFull(config)
    if (mine) return enqueue(plan, request, mine, 0)
    // Those that come at once count too, before they are on disk.
    const atOnce = beginning.get(tokenId) ?? 0
    beginning.set(tokenId, atOnce + 1)
    try {
      const ahead = atOnce + (await jobs.countOpen(tokenId))
      if (ahead >= config.openJobsPerToken) throw new ProblemError('too_many_jobs')
      return await enqueue(plan, request, mine, ahead)
    } finally {
      const left = (beginning.get(tokenId) ?? 0) - 1
      if (left > 0) beginning.set(tokenId, left)
      else beginning.delete(tokenId)
    }
  }

  async function enqueue(
    plan: Plan,
    request: Omit<JobRequest, 'now'>,
    mine: boolean,
    ahead: number,
  ): Promise<JobRecord> {
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

async function refuseWhenFull({ dataDir, diskFloorMib }: Config): Promise<void> {
  if (diskFloorMib > 0 && (await freeMib(dataDir)) < diskFloorMib)
    throw new ServiceError('disk_full', 'free disk is under the floor')
}
