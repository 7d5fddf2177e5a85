import { type ImportJob, listOpenImports, tidyImports } from '../engine/import/uploads/import-job.ts'
import { openUploads } from '../engine/import/uploads/open-uploads.ts'
import { expireJob, removeJob } from '../engine/jobs/expire-job.ts'
import { type DamagedJob, listAll, snapshotsOfOpen } from '../engine/jobs/list-jobs.ts'
import type { Job } from '../engine/jobs/record/job.ts'
import { jobPath } from '../engine/jobs/record/job-paths.ts'
import { fileBytesOf } from '../engine/jobs/record/state.ts'
import { tidyJobs } from '../engine/jobs/tidy-jobs.ts'
import type { Config } from '../engine/model/settings.ts'
import { removeDeadScratch } from '../engine/storage/files/scratch.ts'
import type { Home } from '../engine/study/home.ts'
import { tidyWebhooks } from '../engine/webhooks/tidy-webhooks.ts'
import type { Log } from './job-context.ts'
import { type Passes, startPasses } from './passes.ts'
import { putBack } from './put-back.ts'
import type { JobQueue } from './queue.ts'
import { promisedImport } from './run-import.ts'
import { promisedJob } from './run-job.ts'

/** Dependencies of a sweep; `now` is for tests. */
type Parts = Omit<Home, 'close'> & {
  queue: JobQueue
  config: Pick<Config, 'dataDir' | 'exportsMaxGib' | 'uploadTtlHours'>
  now?: () => Date
  log: Log
}

const PASS_EVERY_MS = 3000
const TIDY_EVERY_MS = 60_000
const LEFT_BEHIND_MS = 60_000
/** Maximum number of jobs that one log line names. */
const TOLD_MAX = 20
const READABLE_MS = 7 * 24 * 3_600_000

/**
 * Sweeps every few seconds, in one of the processes on a data directory. A sweep queues unfinished plans again that are
 * missing from the queue, expires files by age and space, removes ended jobs after a week, and deletes unused snapshots
 * and leftovers of dead processes.
 */
export function startSweep(parts: Parts): Passes {
  const { jobs, place, log } = parts
  const sweeper = jobs.newSweeper()
  let told = new Set<string>()
  let tidiedMs = Number.NEGATIVE_INFINITY
  const sweeping = {
    studies: parts.studies,
    inUse: () => snapshotsOfOpen(jobs),
    onRemoved: (studyId: string, snapshots: string[]) => log.info({ studyId, snapshots }, 'old snapshots removed'),
    onFault: (studyId: string, err: unknown) => log.error({ studyId, err }, 'old snapshots not removed'),
  }

  async function sweep(stopping: AbortSignal): Promise<void> {
    if (!(await sweeper.hold())) return
    const { jobs: all, damaged } = await listAll(jobs)
    told = tellDamage(damaged, told, log)
    const now = parts.now?.() ?? new Date()
    const isTidied = now.getTime() - tidiedMs < TIDY_EVERY_MS
    if (!isTidied) tidiedMs = now.getTime()
    await sweepOnce(parts, all, now, isTidied, stopping)
    if (isTidied) return
    await place.sweep(sweeping)
    await forgetDamaged(damaged, parts, now)
  }
  return startPasses(sweep, { everyMs: PASS_EVERY_MS, fault: 'sweep failed', log, settle: sweeper.release })
}

/** @param all jobs, oldest first */
async function sweepOnce(parts: Parts, all: Job[], now: Date, isTidied: boolean, stopping: AbortSignal): Promise<void> {
  const { jobs, records, queue } = parts
  const open: Job[] = []
  const finished: Job[] = []
  for (const job of all) {
    if (job.end === null) open.push(job)
    else if (job.end.state === 'succeeded') finished.push(job)
    else if (now.getTime() - endedMs(job) > READABLE_MS) await removeJob(jobs, job)
  }
  const imports = await listOpenImports(records)
  const promised = [...open.map((job) => promisedJob(jobs, job)), ...imports.map((job) => promisedImport(records, job))]
  await putBack(promised, parts, stopping)
  await expireFiles(finished, parts, now)
  if (isTidied) return
  // If the queue cannot tell whether an attempt is running, assume that it is.
  const isRunning = (id: string, attempt: number) =>
    queue.state(id, attempt).then(
      (state) => state === 'active',
      () => true,
    )
  await tidyJobs(jobs, new Date(now.getTime() - LEFT_BEHIND_MS), isRunning)
  await sweepImports(imports, parts, now)
  await tidyWebhooks(records, new Date(now.getTime() - LEFT_BEHIND_MS))
}

/** Removes reports of imports after a week, expired uploads, and leftovers of killed imports and uploads. */
async function sweepImports(open: ImportJob[], { config, records, objects, log }: Parts, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  await tidyImports(records, before(READABLE_MS), before(LEFT_BEHIND_MS))
  const keep = new Set(open.flatMap(({ request }) => request.uploads.map(({ id }) => id)))
  const removed = await openUploads(config.dataDir, objects).sweep(before(config.uploadTtlHours * 3_600_000), keep)
  if (removed > 0) log.info({ files: removed }, 'uploads removed')
  await removeDeadScratch(config.dataDir)
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
async function forgetDamaged(damaged: DamagedJob[], { jobs, log }: Parts, now: Date): Promise<void> {
  for (const { id, damage } of damaged) {
    const changedMs = await jobs.storage.changedAt(jobPath(id, ''))
    if (changedMs === null || now.getTime() - changedMs <= READABLE_MS || (await jobs.read(id)) !== null) continue
    await removeJob(jobs, { id, attempt: null })
    log.info({ jobId: id, damage }, 'damaged job removed')
  }
}

async function expireFiles(finished: Job[], { jobs, config, log }: Parts, now: Date): Promise<void> {
  const limitBytes = config.exportsMaxGib * 2 ** 30
  let bytes = 0
  // The newest file stays, however large, since it has just been promised.
  for (const [i, job] of finished.sort((a, b) => endedMs(b) - endedMs(a)).entries()) {
    bytes += fileBytesOf(job.end?.file ?? null)
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
