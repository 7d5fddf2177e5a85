import { setTimeout as sleep } from 'node:timers/promises'
import { DelayedError, type Processor, UnrecoverableError, WaitingError } from 'bullmq'
import { PUT_OFF_MS } from '../engine/jobs/faults.ts'
import type { RunningJob } from '../engine/jobs/record/state.ts'
import type { Config } from '../engine/model/settings.ts'
import type { EnginePool } from '../engine/run/pool/pool.ts'
import type { Home } from '../engine/study/home.ts'
import { openUploads } from '../engine/uploads/open-uploads.ts'
import type { WorkConfig } from './alone/alone-process.ts'
import { runningAlone } from './alone/run-alone.ts'
import { wakeIfReady } from './exports/split-job.ts'
import { kindOf, type WorkContext } from './kinds/kinds.ts'
import type { JobQueue } from './queue/job-queue.ts'
import type { EndedPayload, Payload } from './queue/payload.ts'
import type { Log } from './tries/job-context.ts'
import type { StopReason } from './tries/try.ts'

export type ExportWorker = {
  /** Shuts down: takes no new jobs, waits up to `graceMs` for running ones, and hands the rest back. */
  close: (graceMs: number) => Promise<void>
}

/**
 * Duration of the lock on a job, renewed twice as often. A worker that dies holds its job for this long, and until the
 * next check for stalled jobs.
 */
const LOCK_MS = 8000
const STALLED_EVERY_MS = 2000
/** Delay after which a job looks for lost parts; the last part wakes it earlier. */
const LOOK_AGAIN_MS = 5000
const HAND_BACK_MS = 3000
const HAND_BACK_LEAST_MS = 1000

/** Runs the queue's jobs in this process, until closed. Waits for an unavailable queue. */
export async function startWorker({
  config,
  queue,
  log,
  ...parts
}: {
  config: Pick<Config, 'workerConcurrency'> & WorkConfig
  queue: JobQueue
  pool: EnginePool
  log: Log
} & Omit<Home, 'close'>): Promise<ExportWorker> {
  const running = new Set<{ id: string; stop: AbortController }>()
  const { splitSamples, jobDeathsMax: deathsMax, exportTtlHours } = config
  const uploads = openUploads(config.dataDir, parts.objects)
  const ttlMs = exportTtlHours * 3_600_000
  const runAlone = runningAlone(config, { queue, log })
  const context = { ...parts, uploads, queue, config, splitSamples, deathsMax, runAlone, ttlMs, log }
  let closing = false

  const worker = queue.takeJobs(
    async (job, token) => {
      const entry = { id: job.id as string, stop: new AbortController() }
      running.add(entry)
      if (closing) entry.stop.abort('handed back' satisfies StopReason)
      try {
        return await runQueued(job, token, context, entry.stop.signal)
      } finally {
        running.delete(entry)
      }
    },
    { concurrency: config.workerConcurrency, lockDurationMs: LOCK_MS, stalledIntervalMs: STALLED_EVERY_MS },
  )
  worker.on('lockRenewalFailed', (ids: string[]) => {
    for (const { id, stop } of running) if (ids.includes(id)) stop.abort('lost' satisfies StopReason)
  })
  worker.on('stalled', (id) => log.warn({ id }, 'a worker died or stalled; its job is retried'))

  return {
    close: async (graceMs) => {
      const closed = worker.close()
      // Time for handing jobs back and for closing the queue.
      const handBackMs = Math.min(HAND_BACK_MS, graceMs / 2)
      if (await within(graceMs * 0.9 - handBackMs, closed)) return
      closing = true
      for (const { stop } of running) stop.abort('handed back' satisfies StopReason)
      // If the queue is unavailable, this may take for ever; the job's lock then expires, and another worker takes the
      // job.
      if (!(await within(Math.max(handBackMs, HAND_BACK_LEAST_MS), closed)))
        log.warn('jobs could not be handed back in time')
    },
  }
}

type QueuedJob = Parameters<Processor<Payload, unknown>>[0]

/** Runs one try and reports its outcome to BullMQ. @returns the data about a successful end that the queue stores */
async function runQueued(
  job: QueuedJob,
  token: string | undefined,
  context: WorkContext,
  stop: AbortSignal,
): Promise<EndedPayload> {
  const { jobId } = job.data
  // Sent one after the other, so that log lines stay in order; the job does not wait for them.
  let said: Promise<unknown> = Promise.resolve()
  const say = (line: string) => {
    const dated = `${new Date().toISOString()} ${line}`
    said = said.then(() => job.log(dated)).catch((error) => context.log.debug({ err: error }, 'not said'))
  }
  const before = job.progress as Partial<RunningJob>
  // A job that waits for its parts is checked every few seconds.
  if (!before.parts) say(`begun by process ${process.pid}`)
  const { note, noted } = noteProgress(job, context.log, say)
  const kind = kindOf(jobId)
  const stalls = job.stalledCounter
  const tried = { ...job.data, stalls, startedAt: job.data.startedAt ?? (before.parts && before.startedAt) }
  const outcome = await kind.run(tried, context, stop, note)
  if (!(before.parts && outcome === 'waits for parts')) say(outcome)
  if (outcome === 'succeeded' || outcome === 'failed' || outcome === 'refused') {
    // It may have been withdrawn, or requested again, by now; the outcome of this try stays the same.
    const ended: EndedPayload = await kind
      .endOf(context, jobId)
      .catch(() => ({ state: outcome, message: 'its end could not be read' }))
    if (outcome === 'failed') throw new UnrecoverableError(`${ended.message}; see the job's problem`)
    await noted(ended)
    return { ...ended, state: outcome }
  }
  if (outcome === 'superseded') {
    // Withdrawn, or ended by another worker: this one completed nothing.
    job.opts.removeOnComplete = true
    return { state: 'withdrawn' }
  }
  if (outcome === 'lost') throw new Error('another worker has taken this job')
  if (outcome === 'waits for parts' || outcome === 'part damaged') {
    await job.moveToDelayed(Date.now() + LOOK_AGAIN_MS, token)
    // The last part may have been finished before the job could be woken.
    await wakeIfReady(job.data, context).catch((error) => context.log.debug({ err: error }, 'a job was not woken'))
    throw new DelayedError()
  }
  if (outcome === 'put off') {
    await job.moveToDelayed(Date.now() + PUT_OFF_MS, token)
    throw new DelayedError()
  }
  if (outcome === 'handed back') {
    context.log.info({ jobId, attempt: job.data.attempt }, 'job handed back')
    await job.moveToWait(token)
    throw new WaitingError()
  }
  return { state: outcome }
}

/**
 * Stores progress in the queue, one update at a time, so that no backlog builds up while the queue is unavailable; logs
 * each tenth.
 *
 * @returns `noted` stores the final progress, after an update in flight
 */
function noteProgress(
  job: QueuedJob,
  log: Log,
  say: (line: string) => void,
): { note: (progress: RunningJob) => void; noted: (ended: EndedPayload) => Promise<void> } {
  let noting: Promise<void> | null = null
  let last: RunningJob | null = null
  let tenths = 0
  const update = (progress: RunningJob) =>
    job.updateProgress(progress).catch((error) => log.debug({ err: error }, 'progress not noted'))
  const note = (progress: RunningJob) => {
    last = progress
    const { percent, rows, bytes, samplesDone, samplesTotal } = progress
    if (Math.floor(percent / 10) > tenths) {
      tenths = Math.floor(percent / 10)
      say(`${percent} %: ${samplesDone} of ${samplesTotal} samples, ${rows} rows, ${bytes} bytes`)
    }
    if (noting !== null) return
    noting = update(progress).finally(() => {
      noting = null
    })
  }
  const noted = async ({ rows, bytes }: EndedPayload) => {
    await noting
    if (last === null) return
    const { samplesTotal } = last
    const made = { rows: rows ?? last.rows, bytes: bytes ?? last.bytes }
    await update({ ...last, ...made, samplesDone: samplesTotal, percent: 100, etaSeconds: 0 })
  }
  return { note, noted }
}

/** Returns whether a promise settles in time. */
async function within(ms: number, done: Promise<void>): Promise<boolean> {
  const late = new AbortController()
  try {
    return await Promise.race([done.then(() => true), sleep(ms, false, { signal: late.signal }).catch(() => false)])
  } finally {
    late.abort()
  }
}
