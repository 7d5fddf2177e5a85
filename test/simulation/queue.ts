import { ServiceError } from '../../engine/model/errors.ts'
import type { JobQueue } from '../../worker/queue.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

/** A queue that forgets. A worker holds what it has taken for as long as it renews its lock. */
export type Queue = Pick<JobQueue, 'add' | 'state' | 'lookUp' | 'progress'> & {
  take: (worker: string) => Taken | null
  /** False when the lock has run out, and another may have taken it. */
  renew: (taken: Taken) => boolean
  end: (taken: Taken, isOver: boolean) => void
  forget: () => void
  isAway: boolean
}
export type Taken = { jobId: string; attempt: number; worker: string; lockedUntilMs: number }

export const LOCK_MS = 8000

export function openQueue(timeline: Timeline, random: Random): Queue {
  let entries = new Map<string, { jobId: string; attempt: number; taken: Taken | null; isEnded: boolean }>()
  const idOf = (jobId: string, attempt: number) => `${jobId}-${attempt}`
  const isLocked = (taken: Taken | null) => taken !== null && taken.lockedUntilMs > timeline.nowMs()
  const answered = <T>(answer: () => T): Promise<T> =>
    new Promise((resolve, reject) =>
      timeline.after(0.2 + random.next() * 3, () => {
        if (self.isAway) reject(new ServiceError('queue_away', 'the queue is away'))
        else resolve(answer())
      }),
    )
  const self: Queue = {
    isAway: false,
    add: (jobId, attempt) =>
      answered(() => {
        const known = entries.get(idOf(jobId, attempt))
        if (!known || known.isEnded) entries.set(idOf(jobId, attempt), { jobId, attempt, taken: null, isEnded: false })
      }),
    state: (jobId, attempt) =>
      answered(() => {
        const known = entries.get(idOf(jobId, attempt))
        if (!known) return 'unknown'
        if (known.isEnded) return 'ended'
        return known.taken === null ? 'waiting' : 'active'
      }),
    progress: async () => null,
    lookUp: () =>
      answered(() => {
        const seen = new Map(
          [...entries].map(([id, { taken, isEnded }]) => [id, isEnded ? null : taken ? 'active' : 'waiting'] as const),
        )
        return (jobId: string, attempt: number) => seen.get(idOf(jobId, attempt)) ?? null
      }),
    take: (worker) => {
      if (self.isAway) return null
      for (const entry of entries.values()) {
        if (entry.isEnded || isLocked(entry.taken)) continue
        entry.taken = { ...entry, worker, lockedUntilMs: timeline.nowMs() + LOCK_MS }
        return entry.taken
      }
      return null
    },
    renew: (taken) => {
      const held = entries.get(idOf(taken.jobId, taken.attempt))?.taken
      if (held !== taken || self.isAway) return false
      taken.lockedUntilMs = timeline.nowMs() + LOCK_MS
      return true
    },
    end: (taken, isOver) => {
      const entry = entries.get(idOf(taken.jobId, taken.attempt))
      if (entry?.taken !== taken) return
      entry.taken = null
      entry.isEnded = isOver
    },
    forget: () => {
      entries = new Map()
    },
  }
  return self
}
