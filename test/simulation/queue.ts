import type { Job } from '../../engine/jobs/record/job.ts'
import type { AttemptPart } from '../../engine/jobs/record/job-paths.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import type { Outcome } from '../../worker/tries/try.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

/** A queue that forgets. A worker holds what it has taken for as long as it renews its lock. */
export type Queue = Pick<JobQueue, 'state' | 'lookUp' | 'progress' | 'addParts' | 'noteParts' | 'wake'> & {
  add: (jobId: string, attempt: number) => Promise<void>
  take: (worker: string) => Taken | null
  /** False when the lock has run out, and another may have taken it. */
  renew: (taken: Taken) => boolean
  end: (taken: Taken, outcome: Outcome | 'broken') => void
  forget: () => void
  isAway: boolean
}
export type Taken = {
  jobId: string
  attempt: number
  part?: AttemptPart
  worker: string
  lockedUntilMs: number
  stalls: number
}
type Entry = Pick<Taken, 'jobId' | 'attempt' | 'part'> & {
  taken: Taken | null
  isEnded: boolean
  notBeforeMs: number
  stalls: number
}

export const LOCK_MS = 8000
const LATER_MS = 5000

export function openQueue(timeline: Timeline, random: Random): Queue {
  let entries = new Map<string, Entry>()
  const wholeOf = (jobId: string, attempt: number) => `${jobId}-${attempt}`
  const isLocked = (taken: Taken | null) => taken !== null && taken.lockedUntilMs > timeline.nowMs()
  const isDelayed = ({ notBeforeMs }: Entry) => notBeforeMs > timeline.nowMs()
  const answered = <T>(answer: () => T): Promise<T> =>
    new Promise((resolve, reject) =>
      timeline.after(0.2 + random.next() * 3, () => {
        if (self.isAway) reject(new ServiceError('queue_away', 'the queue is away'))
        else resolve(answer())
      }),
    )
  function put(jobId: string, attempt: number, part?: AttemptPart): void {
    const id = part ? `${wholeOf(jobId, attempt)}-${part.number}of${part.of}` : wholeOf(jobId, attempt)
    const known = entries.get(id)
    if (!known || known.isEnded)
      entries.set(id, { jobId, attempt, part, taken: null, isEnded: false, notBeforeMs: 0, stalls: 0 })
  }
  /** Ids of the attempts that themselves, or of which parts, are in a state. */
  const wholesOf = (is: (entry: Entry) => boolean) =>
    new Set([...entries.values()].filter(is).map(({ jobId, attempt }) => wholeOf(jobId, attempt)))
  const isActive = ({ taken, isEnded }: Entry) => !isEnded && taken !== null
  const entryOf = ({ jobId, attempt, part }: Taken) =>
    entries.get(part ? `${wholeOf(jobId, attempt)}-${part.number}of${part.of}` : wholeOf(jobId, attempt))

  const self: Queue = {
    isAway: false,
    add: (jobId, attempt) => answered(() => put(jobId, attempt)),
    addParts: ({ id, attempt }: Job, { parts }: RunningJob) =>
      answered(() => {
        const { of, there } = parts!
        for (let number = 1; number <= of; number++) if (!there.includes(number)) put(id, attempt, { number, of })
      }),
    noteParts: () => answered(() => undefined),
    wake: (jobId, attempt) =>
      answered(() => {
        const entry = entries.get(wholeOf(jobId, attempt))
        if (entry) entry.notBeforeMs = 0
      }),
    state: (jobId, attempt) =>
      answered(() => {
        const known = entries.get(wholeOf(jobId, attempt))
        if (!known) return 'unknown'
        if (known.isEnded) return 'ended'
        const isAtIt = isDelayed(known) ? wholesOf(isActive).has(wholeOf(jobId, attempt)) : isActive(known)
        return isAtIt ? 'active' : 'waiting'
      }),
    progress: async () => null,
    lookUp: () =>
      answered(() => {
        const active = wholesOf(isActive)
        const waiting = wholesOf((entry) => !entry.isEnded && entry.taken === null && !isDelayed(entry))
        return (jobId: string, attempt: number) => {
          const id = wholeOf(jobId, attempt)
          return active.has(id) ? 'active' : waiting.has(id) ? 'waiting' : null
        }
      }),
    take: (worker) => {
      if (self.isAway) return null
      for (const entry of entries.values()) {
        if (entry.isEnded || isLocked(entry.taken) || isDelayed(entry)) continue
        if (entry.taken !== null) entry.stalls++
        const { jobId, attempt, part, stalls } = entry
        entry.taken = { jobId, attempt, part, worker, lockedUntilMs: timeline.nowMs() + LOCK_MS, stalls }
        return entry.taken
      }
      return null
    },
    renew: (taken) => {
      if (entryOf(taken)?.taken !== taken || self.isAway) return false
      taken.lockedUntilMs = timeline.nowMs() + LOCK_MS
      return true
    },
    end: (taken, outcome) => {
      const entry = entryOf(taken)
      if (entry?.taken !== taken) return
      entry.taken = null
      entry.isEnded = ['succeeded', 'failed', 'refused', 'superseded', 'part made'].includes(outcome)
      if (['waits for parts', 'part damaged', 'put off'].includes(outcome))
        entry.notBeforeMs = timeline.nowMs() + LATER_MS
    },
    forget: () => {
      entries = new Map()
    },
  }
  return self
}
