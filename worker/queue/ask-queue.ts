import type { Job as BullJob, Queue } from 'bullmq'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { singleFlight } from '../../engine/storage/concurrency/coalesce.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { JobQueue } from './job-queue.ts'
import { bullId, type Payload, withWholes } from './payload.ts'
import { withUnderWay } from './progress.ts'

/** BullMQ's states of waiting jobs. */
const WAITING = ['waiting', 'prioritized', 'delayed'] as const

/** Returns what a process asks of the queue. */
export function asking(
  bull: Queue,
  ask: CircuitBreaker,
  probe: () => Promise<void>,
): Omit<JobQueue, 'add' | 'addParts' | 'noteParts' | 'wake' | 'bull' | 'takeJobs' | 'close'> {
  const lookAt = readingProgress(bull)
  /**
   * Changes the queue only if it answers first: otherwise a change that timed out might still be applied when the queue
   * comes back.
   */
  const change = (work: () => Promise<void>) =>
    ask.for(async (isGivenUp) => {
      await bull.isPaused()
      if (!isGivenUp()) await work()
    })

  return {
    state: (jobId, attempt) =>
      ask.for(async () => {
        const id = bullId(jobId, attempt)
        const state = await bull.getJobState(id)
        if (state === 'delayed' && withWholes(await bull.getRanges(['active'], 0, -1)).has(id)) return 'active'
        if (state === 'completed' || state === 'failed') return 'ended'
        return state === 'active' || state === 'unknown' ? state : 'waiting'
      }),
    progress: (jobId, attempt) => ask.for(() => lookAt(bullId(jobId, attempt))),
    lookUp: () =>
      ask.for(async () => {
        const waiting = withWholes(await bull.getRanges(['wait', 'prioritized'], 0, -1))
        const active = withWholes(await bull.getRanges(['active'], 0, -1))
        return (jobId, attempt) => {
          const id = bullId(jobId, attempt)
          return active.has(id) ? 'active' : waiting.has(id) ? 'waiting' : null
        }
      }),
    counts: () =>
      ask.for(async () => {
        const { active, completed, failed, ...waiting } = await bull.getJobCounts(
          ...WAITING,
          'active',
          'completed',
          'failed',
        )
        return { waiting: WAITING.reduce((sum, state) => sum + (waiting[state] ?? 0), 0), active, completed, failed }
      }),
    workers: () => ask.for(() => bull.getWorkersCount().catch(() => null)).catch(() => null),
    isPaused: () => ask.for(() => bull.isPaused()),
    pause: (isToPause) => change(() => (isToPause ? bull.pause() : bull.resume())),
    drain: () => change(() => bull.drain(true)),
    ping: () =>
      ask
        .for(probe)
        .then(() => true)
        .catch(() => false),
  }
}

/** Returns a function that reads the progress of a job; concurrent requests share one query. */
function readingProgress(bull: Queue): (id: string) => Promise<RunningJob | null> {
  return singleFlight(async (id): Promise<RunningJob | null> => {
    const [state, job] = await Promise.all([bull.getJobState(id), bull.getJob(id)])
    if (!job || !isProgress(job.progress) || state === 'completed' || state === 'failed') return null
    if (!job.progress.parts) return state === 'active' ? job.progress : null
    const active: BullJob<Payload>[] = await bull.getJobs(['active'])
    // Read after them: a part that ended in between would count in neither, and progress would fall.
    const latest = (await bull.getJob(id))?.progress
    if (!isProgress(latest)) return null
    const { parts } = latest
    // It is being composed.
    if (!parts) return latest
    const isUnderWay = ({ data, progress }: BullJob<Payload>) =>
      data.part?.of === parts.of &&
      bullId(data.jobId, data.attempt) === id &&
      !parts.there.includes(data.part.number) &&
      isProgress(progress)
    return withUnderWay(
      latest,
      active.filter(isUnderWay).map(({ progress }) => progress as RunningJob),
    )
  })
}

function isProgress(value: unknown): value is RunningJob {
  return typeof value === 'object' && value !== null && 'samplesTotal' in value
}
