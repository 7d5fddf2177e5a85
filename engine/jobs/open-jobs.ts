import { join } from 'node:path'
import { shareReads } from '../files/coalesce.ts'
import { syncDirectory } from '../files/durable.ts'
import type { Job } from './job.ts'
import { cachedFinder, type Found, findJob } from './read-job.ts'
import { indexUnfinished, type UnfinishedIndex } from './unfinished-jobs.ts'

/**
 * The jobs of a data directory: plain files (job-paths.ts), shared by any number of processes without a lock. The end of an attempt
 * is published last and by linking, so that it ends once. Nothing of an attempt is ever written by another one.
 *
 * This is one process's hold on them: where they lie, and what need not be read or synced again. The functions beside it do the rest.
 */
export type Jobs = {
  /** `exports` in the data directory; made when first needed. */
  root: string
  /** Reads a job; null when there is none, or when its plan is damaged. */
  read: (id: string) => Promise<Job | null>
  /** Finds a job for those who ask often: what lies unchanged on disk is read once. */
  find: (id: string) => Promise<Found>
  /** The jobs without an end, by who asked for them. */
  unfinished: UnfinishedIndex
  /** Requests that are being begun, by job id. */
  beginning: Map<string, Promise<{ begun: boolean; attempt: number }>>
  /** Syncs a directory; calls that come while a sync is under way are coalesced into the next one. */
  sync: (directory: string) => Promise<void>
  /** Whether the name of `root` itself is known to be safe. */
  isRootSynced: boolean
}

/** Opens the jobs of a data directory. @param dataDir absolute */
export function openJobs(dataDir: string): Jobs {
  const root = join(dataDir, 'exports')
  const find = shareReads(cachedFinder(root))
  return {
    root,
    read: shareReads(async (id) => (await findJob(root, id)).job),
    find,
    unfinished: indexUnfinished({ root, find }),
    beginning: new Map(),
    sync: shareReads(syncDirectory),
    isRootSynced: false,
  }
}
