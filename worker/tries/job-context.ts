import type { Logger } from 'pino'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import type { JobQueue } from '../queue/job-queue.ts'
import type { BlocksOf } from './blocks-of.ts'
import type { RunAlone } from './try.ts'

/** Parts of a process that a job needs. */
export type JobContext = {
  studies: StudyReader
  jobs: Jobs
  pool: EnginePool
  queue: Pick<JobQueue, 'addParts' | 'noteParts' | 'wake'>
  /** Number of samples above which a job is split into parts. */
  splitSamples: number
  /** Number of deaths of its workers after which a job runs alone. */
  deathsMax: number
  runAlone?: RunAlone
  ttlMs: number
  log: Log
  /** Function that computes the bytes of files and parts: the engine, unless another is given. */
  blocksOf?: BlocksOf
}
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
