import { expireJob, removeJob } from '../../engine/jobs/expire-job.ts'
import { type DamagedJob, listAll } from '../../engine/jobs/list-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { jobPath } from '../../engine/jobs/record/job-paths.ts'
import { totalsOf } from '../../engine/jobs/record/state.ts'
import { tidyJobs } from '../../engine/jobs/tidy-jobs.ts'
import type { Log } from '../tries/job-context.ts'
import { LEFT_BEHIND_MS, type ListedWork, READABLE_MS, type SweepParts } from '../tries/listed-work.ts'
import { promisedJob } from './run-job.ts'

/** Maximum number of jobs that one log line names. */
const TOLD_MAX = 20

/** Returns a function that lists exports and packages, for a sweep. */
export function listingExports(parts: SweepParts): () => Promise<ListedWork> {
  const { jobs, queue, log } = parts
  let told = new Set<string>()
  // If the queue cannot tell whether an attempt is running, assume that it is.
  const isRunning = (id: string, attempt: number) =>
    queue.state(id, attempt).then(
      (state) => state === 'active',
      () => true,
    )
  return async () => {
    const { jobs: all, damaged } = await listAll(jobs)
    told = tellDamage(damaged, told, log)
    return {
      promised: all.filter(({ end }) => end === null).map((job) => promisedJob(jobs, job)),
      expire: async (now) => {
        const finished = all.filter(({ end }) => end?.state === 'succeeded')
        for (const job of all)
          if (job.end !== null && job.end.state !== 'succeeded' && now.getTime() - endedMs(job) > READABLE_MS)
            await removeJob(jobs, job)
        await expireFiles(finished, parts, now)
      },
      tidy: async (now) => {
        await tidyJobs(jobs, new Date(now.getTime() - LEFT_BEHIND_MS), isRunning)
        await forgetDamaged(damaged, parts, now)
      },
    }
  }
}

/** Logs new damage, one line for each kind, with the damaged jobs. Returns everything that has been logged so far. */
function tellDamage(damaged: DamagedJob[], told: Set<string>, log: Log): Set<string> {
  const keyOf = ({ id, damage }: DamagedJob) => `${id} ${damage}`
  const jobIds = new Map<string, string[]>()
  for (const job of damaged.filter((each) => !told.has(keyOf(each))))
    jobIds.set(job.damage, [...(jobIds.get(job.damage) ?? []), job.id])
  for (const [damage, ids] of jobIds)
    log.error(
      { damage, jobIds: ids.slice(0, TOLD_MAX), count: ids.length },
      'damaged jobs are computed again on request',
    )
  return new Set(damaged.map(keyOf))
}

/** Removes jobs with a damaged plan that nobody has requested for a week, as long as an ended job stays readable. */
async function forgetDamaged(damaged: DamagedJob[], { jobs, log }: SweepParts, now: Date): Promise<void> {
  for (const { id, damage } of damaged) {
    const changedMs = await jobs.storage.changedAt(jobPath(id, ''))
    if (changedMs === null || now.getTime() - changedMs <= READABLE_MS || (await jobs.read(id)) !== null) continue
    await removeJob(jobs, { id, attempt: null })
    log.info({ jobId: id, damage }, 'damaged job removed')
  }
}

async function expireFiles(finished: Job[], { jobs, config, log }: SweepParts, now: Date): Promise<void> {
  const limitBytes = config.exportsMaxGib * 2 ** 30
  let bytes = 0
  // The newest file stays, however large, since it has just been promised.
  for (const [i, job] of finished.sort((a, b) => endedMs(b) - endedMs(a)).entries()) {
    bytes += totalsOf(job.end)?.storedBytes ?? 0
    const isOld = Date.parse(job.end?.expiresAt ?? '') <= now.getTime()
    if (isOld || (bytes > limitBytes && i > 0)) {
      await expireJob(jobs, job, now)
      log.info({ jobId: job.id, why: isOld ? 'age' : 'space' }, 'file expired')
    }
  }
}

/** Returns the time at which a job entered its current state, in ms since the epoch. */
function endedMs({ end }: Job): number {
  return Date.parse((end?.state === 'expired' ? end.expiresAt : end?.finishedAt) ?? '')
}
