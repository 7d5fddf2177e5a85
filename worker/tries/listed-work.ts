import type { Config } from '../../engine/model/settings.ts'
import type { Home } from '../../engine/study/home.ts'
import type { JobQueue } from '../queue/job-queue.ts'
import type { Log } from './job-context.ts'
import type { Promised } from './put-back.ts'

/** Dependencies of a sweep; `now` is for tests. */
export type SweepParts = Omit<Home, 'close'> & {
  queue: JobQueue
  config: Pick<Config, 'dataDir' | 'exportsMaxGib' | 'uploadTtlHours'>
  now?: () => Date
  log: Log
}

/** The work of one kind, as a sweep finds it on disk. */
export type ListedWork = {
  /** Unfinished work, oldest first. */
  promised: Promised[]
  /** Deletes files that have expired, by age and space. */
  expire: (now: Date) => Promise<void>
  /** Removes records that were readable for long enough, and leftovers of dead processes; once a minute. */
  tidy: (now: Date) => Promise<void>
}

/** Time for which the record of ended work stays readable. */
export const READABLE_MS = 7 * 24 * 3_600_000
/** Age of a temporary file from which its writer counts as dead. */
export const LEFT_BEHIND_MS = 60_000
