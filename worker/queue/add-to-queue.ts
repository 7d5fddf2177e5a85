import type { Queue } from 'bullmq'
import { singleFlight } from '../../engine/storage/concurrency/coalesce.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { JobQueue } from './job-queue.ts'
import { bullId, idOf, jobFactsOf, type Payload, REMEMBERED } from './payload.ts'

/** BullMQ's largest priority. */
const PRIORITY_MAX = 2 ** 21

type Add = (payload: Payload, ahead: number) => Promise<void>

/** Returns a function that adds attempts and their parts; identical concurrent calls are coalesced. */
export function addingTo(bull: Queue, ask: CircuitBreaker): Add {
  const adding = new Map<string, Promise<void>>()

  /**
   * Returns the priority of a token's next job (fair queueing). A token without waiting jobs comes right after the
   * first job in the queue, other tokens as many places later as they have jobs. Since the count begins at the first
   * job in line and not at zero, newcomers overtake waiting jobs, but not for ever.
   */
  const priorityOf = (first: number, ahead: number) => Math.min(PRIORITY_MAX, Math.max(1, first) + ahead)
  const firstInLine = singleFlight(async () => (await bull.getJobs(['prioritized'], 0, 0, true))[0]?.priority ?? 1)

  async function put(payload: Payload, ahead: number, isGivenUp: () => boolean): Promise<void> {
    const id = idOf(payload)
    // BullMQ ignores an id that it remembers as ended, so that is removed first: the caller knows that it must run. If
    // the state were read later, a quick worker might just have ended the job, and it would run twice.
    const [state, first] = await Promise.all([bull.getJobState(id), firstInLine('')])
    // While the queue was unavailable, this may have waited until it came back.
    if (isGivenUp()) return
    if (state === 'completed' || state === 'failed') await (await bull.getJob(id))?.remove()
    const options = { jobId: id, attempts: 1, priority: priorityOf(first, ahead), ...REMEMBERED }
    await bull.add(payload.fileName ?? 'export', payload, options)
  }

  return (payload, ahead) => {
    const id = idOf(payload)
    const underWay = adding.get(id)
    if (underWay) return underWay
    const added = ask.for((isGivenUp) => put(payload, ahead, isGivenUp)).finally(() => adding.delete(id))
    adding.set(id, added)
    return added
  }
}

/**
 * Adds parts as independent BullMQ jobs; the job to which they belong waits as a delayed job. BullMQ's flows would do
 * on Redis. On PostgreSQL, if a child is lost and added again, its parent waits for ever.
 */
export function inParts(bull: Queue, ask: CircuitBreaker, add: Add): Pick<JobQueue, 'addParts' | 'noteParts' | 'wake'> {
  return {
    addParts: async (job, { startedAt, parts }) => {
      const { of, there } = parts!
      const known = await ask.for(() => bull.getRanges(['wait', 'prioritized', 'active', 'delayed'], 0, -1))
      const [isKnown, isThere] = [new Set(known), new Set(there)]
      let ahead = 0
      // Added one after the other to the token's line, so that parts of other jobs come between.
      for (let number = 1; number <= of; number++) {
        const payload = { jobId: job.id, attempt: job.attempt, part: { number, of }, startedAt, ...jobFactsOf(job, []) }
        if (!isThere.has(number) && !isKnown.has(idOf(payload))) await add(payload, ahead++)
      }
    },
    noteParts: (jobId, attempt, progress) =>
      ask.for(async () => {
        await (await bull.getJob(bullId(jobId, attempt)))?.updateProgress(progress)
      }),
    wake: (jobId, attempt) =>
      ask.for(async () => {
        const job = await bull.getJob(bullId(jobId, attempt))
        // A worker may take it between the two.
        if (await job?.isDelayed()) await job?.promote().catch(() => undefined)
      }),
  }
}
