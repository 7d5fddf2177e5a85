import type { Logger } from 'pino'
import type { Jobs } from '../engine/jobs/open-jobs.ts'
import type { Job } from '../engine/jobs/record/job.ts'
import type { RunningJob } from '../engine/jobs/record/state.ts'
import type { EnginePool } from '../engine/run/pool/pool.ts'
import type { Store } from '../engine/snapshot/snapshots.ts'
import type { BlocksOf } from './blocks-of.ts'
import type { JobQueue } from './queue.ts'

/** The parts of a process that a job needs. */
export type JobContext = {
  store: Store
  jobs: Jobs
  pool: EnginePool
  queue: Pick<JobQueue, 'addParts' | 'noteParts' | 'wake'>
  /** Jobs of more samples than this are computed in parts. */
  splitSamples: number
  /** After how many deaths of its process a job is set aside. */
  deathsMax: number
  ttlMs: number
  log: Log
  /** What computes the bytes of files and parts: the engine, unless something else is given. */
  blocksOf?: BlocksOf
}
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** One worker's run at an attempt, or at a part of it. */
export type Try = {
  job: Job
  /** When the attempt was begun, by whichever try. */
  startedAt: Date
  /** Aborts when the try is to stop, or the attempt has ended. */
  signal: AbortSignal
  /** Called often; those who listen are told twice a second. */
  onProgress: (progress: RunningJob) => void
}

/** The reason why a try stops before its end: it is handed back, or another worker has taken it. */
export type StopReason = 'handed back' | 'lost'

/**
 * `superseded`: the attempt had ended, or does not exist any more. `put off`: the system had too little of something
 * for the moment, and it is to be tried again later. `part made`: of a try at a part. `waits for parts`: they are in
 * the queue. `part damaged`: it was there and is computed anew, which counts as a try.
 */
export type Outcome =
  | 'succeeded'
  | 'failed'
  | 'superseded'
  | 'put off'
  | 'part made'
  | 'waits for parts'
  | 'part damaged'
  | StopReason
