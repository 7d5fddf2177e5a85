import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { studyDirectory } from '../engine/files/layout.ts'
import { type Lock, takeLock } from '../engine/files/lock.ts'
import { sweepSnapshots } from '../engine/import/remove.ts'
import type { Config } from '../engine/model/settings.ts'
import type { Store } from '../engine/snapshot/snapshots.ts'
import type { JobSummary } from '../engine/store/job-files.ts'
import type { Jobs } from '../engine/store/jobs.ts'
import type { Log } from './job.ts'
import type { JobQueue } from './queue.ts'

export type Sweep = {
  /** One pass now, if this process holds the sweep; passes do not overlap. */
  pass: () => Promise<void>
  close: () => Promise<void>
}

const PASS_EVERY_MS = 3000
const TIDY_EVERY_MS = 60_000
const LEFT_BEHIND_MS = 60_000
const READABLE_MS = 7 * 24 * 3_600_000

/**
 * Keeps the promises that outlive processes: plans without an end that the queue does not know are put back, files go when
 * their time or the space is up, ended jobs after a week, snapshots that nothing needs, and what dead processes left behind.
 * Every few seconds, by one of the processes on a data directory.
 */
export function startSweep({
  jobs,
  store,
  queue,
  config,
  now = () => new Date(),
  log,
}: {
  jobs: Jobs
  store: Store
  queue: JobQueue
  config: Pick<Config, 'dataDir' | 'exportsMaxGib'>
  now?: () => Date
  log: Log
}): Sweep {
  let lock: Lock | null = null
  let passing: Promise<void> | null = null
  let tidiedMs = Number.NEGATIVE_INFINITY
  let closed = false

  async function sweep(): Promise<void> {
    if (lock && !(await lock.isHeld())) {
      await lock.release()
      lock = null
    }
    lock ??= await takeLock(join(config.dataDir, 'exports', 'sweep.lock'))
    if (lock === null) return
    const open: JobSummary[] = []
    const finished: JobSummary[] = []
    for await (const job of jobs.list()) {
      if (job.end === null) open.push(job)
      else if (job.end.state === 'succeeded') finished.push(job)
      else if (now().getTime() - endedMs(job) > READABLE_MS) await jobs.remove(job)
    }
    await putBack(open)
    await expire(finished)
    if (now().getTime() - tidiedMs >= TIDY_EVERY_MS) {
      tidiedMs = now().getTime()
      await jobs.tidy(new Date(tidiedMs - LEFT_BEHIND_MS), isRunning)
      await removeSnapshots(open)
    }
  }

  /** Of those that are not current, and named by no unfinished plan. */
  async function removeSnapshots(open: JobSummary[]): Promise<void> {
    for (const studyId of await store.studyIds()) {
      // Requests that began on the snapshot before are not jobs yet, or are answered without one.
      const current = await stat(join(studyDirectory(config.dataDir, studyId) as string, 'current')).catch(() => null)
      if (current === null || Date.now() - current.mtimeMs < LEFT_BEHIND_MS) continue
      const keep = new Set(open.filter(({ plan }) => plan.studyId === studyId).map(({ plan }) => plan.snapshotId))
      const removed = await sweepSnapshots({ dataDir: config.dataDir, studyId, keep })
      if (removed.length > 0) log.info({ studyId, snapshots: removed }, 'old snapshots removed')
    }
  }

  async function putBack(open: JobSummary[]): Promise<void> {
    if (open.length === 0) return
    const stateOf = await queue.lookUp().catch(() => null)
    if (stateOf === null) return log.debug('the queue is away; jobs are put back later')
    /** How many were put back for a token in this pass. */
    const lines = new Map<string, number>()
    // Oldest first, as they were asked for.
    for (const { id, attempt } of open.reverse()) {
      if (closed) return
      if (stateOf(id, attempt) !== null) continue
      try {
        const state = await queue.state(id, attempt)
        if (state === 'waiting' || state === 'active') continue
        // It may have ended since the list was read; workers write the end before they tell the queue.
        const job = await jobs.get(id)
        if (job?.attempt !== attempt || job.end !== null) continue
        await queue.add(id, attempt, Math.min(...job.interested.map((tokenId) => lines.get(tokenId) ?? 0)))
        for (const tokenId of job.interested) lines.set(tokenId, (lines.get(tokenId) ?? 0) + 1)
        log.info({ jobId: id, attempt }, 'put back into the queue')
      } catch (error) {
        log.debug({ err: error }, 'the queue is away; jobs are put back later')
        return
      }
    }
  }

  async function expire(finished: JobSummary[]): Promise<void> {
    const limitBytes = config.exportsMaxGib * 2 ** 30
    let bytes = 0
    // The newest stays, however large: somebody has just been promised it.
    for (const [i, job] of finished.sort((a, b) => endedMs(b) - endedMs(a)).entries()) {
      bytes += (job.end?.file?.bytes ?? 0) + (job.end?.file?.gzipBytes ?? 0)
      const isOld = Date.parse(job.end?.expiresAt ?? '') <= now().getTime()
      if (isOld || (bytes > limitBytes && i > 0)) {
        await jobs.expire(job, now())
        log.info({ jobId: job.id, why: isOld ? 'age' : 'space' }, 'file expired')
      }
    }
  }

  /** When the queue cannot tell, it may be. */
  const isRunning = (id: string, attempt: number) =>
    queue.state(id, attempt).then(
      (state) => state === 'active',
      () => true,
    )

  function pass(): Promise<void> {
    passing ??= sweep()
      .catch((error) => log.error({ err: error }, 'sweep failed'))
      .finally(() => {
        passing = null
      })
    return passing
  }

  const timer = setInterval(() => void pass(), PASS_EVERY_MS)
  void pass()
  return {
    pass,
    close: async () => {
      closed = true
      clearInterval(timer)
      await passing
      await lock?.release()
    },
  }
}

/** When a job became what it is. */
function endedMs({ end }: JobSummary): number {
  return Date.parse((end?.state === 'expired' ? end.expiresAt : end?.finishedAt) ?? '')
}
