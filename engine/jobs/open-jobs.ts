import { join } from 'node:path'
import { singleFlight } from '../concurrency/coalesce.ts'
import type { RecordsAt } from '../store/records.ts'
import { findEach } from './list-jobs.ts'
import type { Job } from './record/job.ts'
import { diskBelow, type JobPlace } from './record/job-disk.ts'
import { cachedFinder, type Found, findJob } from './record/read-job.ts'
import { indexUnfinished, readUnfinished, type UnfinishedIndex } from './unfinished-jobs.ts'

/**
 * The jobs of a data directory: plain files (job-paths.ts), shared by any number of processes without a lock. The end
 * of an attempt is published last and by linking, so that it ends once. Nothing of an attempt is ever written by
 * another one.
 *
 * This is one process's hold on them: where they lie, and what need not be read or synced again. The functions beside
 * it do the rest.
 */
export type Jobs = JobPlace & {
  /** Reads a job; null when there is none, or when its plan is damaged. */
  read: (id: string) => Promise<Job | null>
  /** Finds a job through a cache: files that have not changed on disk are read once. */
  find: (id: string) => Promise<Found>
  /** Finds every job, in no order, as they lie when this is called. */
  every: () => AsyncGenerator<Found & { id: string }>
  /** Jobs without an end, by requesting token. */
  unfinished: UnfinishedIndex
  /** Requests in progress, by job id. */
  beginning: Map<string, Promise<{ begun: boolean; attempt: number }>>
  /** Syncs a directory; calls that come while a sync is under way are coalesced into the next one. */
  sync: (directory: string) => Promise<void>
  /** True if the name of `root` itself is synced. */
  isRootSynced: boolean
  /** Location of the webhooks that are notified of ends; null for none. */
  webhooksIn: RecordsAt | null
}

/** Opens the jobs of a data directory. @param dataDir absolute */
export function openJobs(dataDir: string): Jobs {
  const root = join(dataDir, 'exports')
  const place = { root, disk: diskBelow(root) }
  const find = singleFlight(cachedFinder(place))
  const every = () => findEach(place.disk, find)
  return {
    ...place,
    read: singleFlight(async (id) => (await findJob(place, id)).job),
    find,
    every,
    unfinished: indexUnfinished(() => readUnfinished(place, every)),
    beginning: new Map(),
    sync: singleFlight(place.disk.sync),
    isRootSynced: false,
    webhooksIn: dataDir,
  }
}
