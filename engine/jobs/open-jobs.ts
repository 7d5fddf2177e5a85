import { randomBytes } from 'node:crypto'
import { singleFlight } from '../storage/concurrency/coalesce.ts'
import { directoryStorage } from '../storage/directory-storage.ts'
import type { RecordsAt } from '../storage/records.ts'
import type { StorageLock } from '../storage/storage.ts'
import { findEach } from './list-jobs.ts'
import type { Job } from './record/job.ts'
import { isJobId, JOBS, type JobPlace, jobPath } from './record/job-paths.ts'
import { cachedFinder, type FoundJob, findJob } from './record/read-job.ts'
import { indexUnfinished, readUnfinished, type UnfinishedIndex } from './unfinished-jobs.ts'

/**
 * The jobs of an installation: plain files (job-paths.ts), shared by any number of processes without a lock. The end of
 * an attempt is published last and created once, so an attempt ends once. No attempt writes files of another one.
 *
 * This is one process's handle: the storage, and caches of what need not be read again. The functions in this folder do
 * the rest.
 */
export type Jobs = JobPlace & {
  /** Lists the ids of all jobs. */
  ids: () => Promise<string[]>
  /** Lists the names in the folder of all jobs that may have leftovers of dead processes. */
  untidy: () => Promise<string[]>
  /** Reads a job; null when there is none, or when its plan is damaged. */
  read: (id: string) => Promise<Job | null>
  /** Finds a job through a cache: files that have not changed on disk are read once. */
  find: (id: string) => Promise<FoundJob>
  /** Yields every job, in no order, as of this call. */
  every: () => AsyncGenerator<FoundJob & { id: string }>
  /**
   * Removes a job with all its files.
   *
   * @param isUnwanted asked of the plan when nobody can replace it unseen any more; if it says no, the job stays
   */
  remove: (id: string, isUnwanted: (planName: string) => Promise<boolean>) => Promise<void>
  /** Creates a candidate sweeper; at most one candidate holds the role. */
  newSweeper: () => Sweeper
  /** Jobs without an end, by requesting token. */
  unfinished: UnfinishedIndex
  /** Requests in progress, by job id. */
  beginning: Map<string, Promise<{ begun: boolean; attempt: number }>>
  /** Returns the time of day. */
  now: () => Date
  /** Location of the webhooks that are notified of ends; null for none. */
  webhooksIn: RecordsAt | null
}

export type Sweeper = {
  /** Returns true if this process holds the role, for now. */
  hold: () => Promise<boolean>
  release: () => Promise<void>
}

/** Prefix of the folders of jobs that are being removed. */
export const REMOVED_PREFIX = '.removed-'

/** Opens the jobs of a data directory. @param dataDir absolute */
export function openJobs(dataDir: string, now: () => Date = () => new Date()): Jobs {
  const storage = directoryStorage(dataDir)
  const place = { storage }
  const find = singleFlight(cachedFinder(place))
  const ids = async () => (await storage.names(JOBS)).filter(isJobId)
  // Many clients list at once: each list reads the state of every job.
  const findAll = singleFlight(async () => {
    const found: (FoundJob & { id: string })[] = []
    for await (const each of findEach(ids, find)) found.push(each)
    return found
  })
  const every = async function* () {
    yield* await findAll('')
  }
  return {
    ...place,
    ids,
    untidy: () => storage.names(JOBS),
    read: singleFlight(async (id) => (await findJob(place, id)).job),
    find,
    every,
    remove: async (id, isUnwanted) => {
      const aside = `${JOBS}/${REMOVED_PREFIX}${id}-${randomBytes(6).toString('hex')}`
      await storage.rename(jobPath(id), aside)
      // Requested again just before it was moved: put it back, unless it has been requested once more since.
      if (!(await isUnwanted(`${aside}/plan.json`))) await storage.rename(aside, jobPath(id)).catch(() => undefined)
      await storage.removeFolder(aside)
    },
    newSweeper: () => lockedSweeper(() => storage.lock(`${JOBS}/sweep.lock`)),
    unfinished: indexUnfinished(() => readUnfinished(place, every)),
    beginning: new Map(),
    now,
    webhooksIn: dataDir,
  }
}

function lockedSweeper(take: () => Promise<StorageLock | null>): Sweeper {
  let lock: StorageLock | null = null
  const release = async () => {
    await lock?.release()
    lock = null
  }
  return {
    hold: async () => {
      if (lock && !(await lock.isHeld())) await release()
      lock ??= await take()
      return lock !== null
    },
    release,
  }
}
