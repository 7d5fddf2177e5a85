import type { Processor, Queue, Worker } from 'bullmq'

/** What the queue holds of a job: nothing that is secret, and nothing that is not in plan.json. */
export type Payload = { jobId: string; attempt: number }

/** How far a running job is. `rows` without the header; `etaSeconds` null until it can be told. */
export type JobProgress = {
  percent: number
  samplesDone: number
  samplesTotal: number
  rows: number
  bytes: number
  etaSeconds: number | null
  /** RFC 3339; when this try began. */
  startedAt: string
}

/** What the queue knows of an attempt; `unknown` when nothing, `ended` when it has only to forget it. */
export type QueueState = 'waiting' | 'active' | 'ended' | 'unknown'

export type JobQueue = {
  /** @throws ServiceError queue_away within 2 s */
  add: (jobId: string, attempt: number) => Promise<void>
  /** null unless a worker is at it. @throws ServiceError queue_away within 2 s */
  progress: (jobId: string, attempt: number) => Promise<JobProgress | null>
  /** @throws ServiceError queue_away within 2 s */
  state: (jobId: string, attempt: number) => Promise<QueueState>
  /** Whether the queue answers, within 2 s. Never throws. */
  ping: () => Promise<boolean>
  /** For Bull Board and counts. */
  bull: Queue
  /** Takes jobs from this queue; waits for it for ever. For worker/worker.ts. */
  takeJobs: (processor: Processor<Payload, void>, options: IntakeOptions) => Worker<Payload, void>
  close: () => Promise<void>
}

/** A BullMQ worker's own settings that are ours to choose. */
export type IntakeOptions = { concurrency: number; lockDurationMs: number; stalledIntervalMs: number }

/**
 * Connects to the queue of `queueUrl` (redis://, rediss://, postgres://), or starts the embedded one under `dataDir` for ''.
 * It connects to nothing else. A queue that is away is no error here: it is waited for in the background.
 *
 * @param dataDir absolute; only the embedded queue uses it, and only one process at a time may
 * @param onError told of what goes wrong on connections that have nobody to throw at
 * @throws ServiceError busy when another process holds the embedded queue
 */
export async function openQueue(_options: {
  queueUrl: string
  dataDir: string
  onError: (error: Error) => void
}): Promise<JobQueue> {
  throw new Error('not yet')
}
