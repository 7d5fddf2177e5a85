import { openThrottle, stopwatch } from '../storage/concurrency/intervals.ts'
import { interestedIn } from './interest.ts'
import { everyJob, type Finder } from './list-jobs.ts'
import type { JobPlace } from './record/job-paths.ts'

/** Lifetime of the cached list of all jobs: at least this long, and this many times as long as reading took. */
const COUNTS_MS = 1000
const COUNTS_TIMES = 50

/**
 * Index of the unfinished jobs of each token: the state of the disk when it was last read, with later changes of this
 * process.
 */
export type UnfinishedIndex = {
  /**
   * Returns the ids of a token's unfinished jobs. Changes of this process count at once. Changes of others count when
   * the disk is read again, at most once a second (less often if that takes long), in the background unless `fresh`.
   */
  of: (tokenId: string, options?: { fresh: boolean }) => Promise<ReadonlySet<string>>
  add: (id: string, tokenId: string) => void
  /** @param tokenId the one that withdrew; all if not given */
  drop: (id: string, tokenId?: string) => void
}

export type IdsByToken = Map<string, Set<string>>

/** @param read the unfinished jobs as they lie */
export function indexUnfinished(read: () => Promise<IdsByToken>): UnfinishedIndex {
  let byToken: IdsByToken = new Map()
  const reads = openThrottle()
  let isRead = false
  let reading: Promise<void> | null = null
  /** Changes during a read of the disk, to be applied to its result. */
  let since: ((ids: IdsByToken) => void)[] = []

  const change = (edit: (ids: IdsByToken) => void) => {
    edit(byToken)
    if (reading) since.push(edit)
  }
  async function reread(): Promise<void> {
    const tookMs = stopwatch()
    try {
      const fresh = await read()
      for (const edit of since) edit(fresh)
      byToken = fresh
      isRead = true
      reads.putOff(Math.max(COUNTS_MS, COUNTS_TIMES * tookMs()))
    } finally {
      since = []
      reading = null
    }
  }

  return {
    of: async (tokenId, { fresh } = { fresh: false }) => {
      if (reads.isDue()) {
        reading ??= reread()
        // What was read last will do meanwhile; an error of the disk is thrown to the callers that wait for it.
        if (fresh || !isRead) await reading
        else reading.catch(() => undefined)
      }
      return byToken.get(tokenId) ?? new Set()
    },
    add: (id, tokenId) => change((ids) => put(ids, id, tokenId)),
    drop: (id, tokenId) =>
      change((ids) => {
        if (tokenId !== undefined) ids.get(tokenId)?.delete(id)
        else for (const theirs of ids.values()) theirs.delete(id)
      }),
  }
}

/** Reads the unfinished jobs of each token. */
export async function readUnfinished(place: JobPlace, every: Finder['every']): Promise<IdsByToken> {
  const ids: IdsByToken = new Map()
  for await (const job of everyJob({ every })) {
    if (job.end === null) for (const tokenId of await interestedIn(place, job)) put(ids, job.id, tokenId)
  }
  return ids
}

/** Adds a job to those of a token. */
export function put(ids: IdsByToken, id: string, tokenId: string): void {
  const theirs = ids.get(tokenId)
  if (theirs) theirs.add(id)
  else ids.set(tokenId, new Set([id]))
}
