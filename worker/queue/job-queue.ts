import type { Processor, Queue, Worker } from 'bullmq'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import type { Facts, Payload } from './payload.ts'

/** State of an attempt in the queue; `unknown` if it is missing there, `ended` if the queue only remembers its end. */
type QueueState = 'waiting' | 'active' | 'ended' | 'unknown'

/** Counts of jobs by state; of ended jobs, only those that the queue still remembers. */
type QueueCounts = { waiting: number; active: number; completed: number; failed: number }

export type JobQueue = {
  /**
   * Adds an attempt at the end of its token's line. Lines are served in turn (fair queueing), so a token with a
   * thousand jobs does not make another token's first job wait for all of them.
   *
   * @param ahead number of unfinished jobs that the token already has
   * @throws ServiceError queue_away within 2 s
   */
  add: (jobId: string, attempt: number, ahead?: number, facts?: Facts) => Promise<void>
  /** Queues the parts of a job that exist neither on disk nor in the queue; as `add`. */
  addParts: (job: Job, progress: RunningJob) => Promise<void>
  /** Stores which parts of a job exist. @throws ServiceError queue_away within 2 s */
  noteParts: (jobId: string, attempt: number, progress: RunningJob) => Promise<void>
  /** Wakes a job that waits for its parts. @throws ServiceError queue_away within 2 s */
  wake: (jobId: string, attempt: number) => Promise<void>
  /**
   * Returns the progress of a job; null unless a worker is running it, or it waits for its parts.
   *
   * @throws ServiceError queue_away within 2 s
   */
  progress: (jobId: string, attempt: number) => Promise<RunningJob | null>
  /** Returns the state of an attempt. @throws ServiceError queue_away within 2 s */
  state: (jobId: string, attempt: number) => Promise<QueueState>
  /**
   * Returns a function that tells, for many jobs at once, whether they or their parts wait or run; null for a job that
   * changes meanwhile.
   *
   * @throws ServiceError queue_away
   */
  lookUp: () => Promise<(jobId: string, attempt: number) => 'waiting' | 'active' | null>
  /** Counts jobs by state. @throws ServiceError queue_away within 2 s */
  counts: () => Promise<QueueCounts>
  /** Returns true if the queue takes changes within 2 s. Never throws. */
  ping: () => Promise<boolean>
  /** Counts the workers that take jobs; null if the back end does not report it, and while it is unavailable. */
  workers: () => Promise<number | null>
  /** Returns true if the queue is paused. @throws ServiceError queue_away within 2 s */
  isPaused: () => Promise<boolean>
  /** Pauses or resumes the queue, for all workers. @throws ServiceError queue_away within 2 s */
  pause: (isToPause: boolean) => Promise<void>
  /** Drops all waiting work. The next sweep queues unfinished work again. @throws ServiceError queue_away within 2 s */
  drain: () => Promise<void>
  /** Queue for Bull Board. */
  bull: Queue
  /** Runs jobs of this queue; waits for the queue without timeout. For worker/worker.ts. */
  takeJobs: (processor: Processor<Payload, unknown>, options: WorkerOptions) => Worker<Payload, unknown>
  close: () => Promise<void>
}

/** BullMQ worker settings that differ from its defaults. */
export type WorkerOptions = { concurrency: number; lockDurationMs: number; stalledIntervalMs: number }
