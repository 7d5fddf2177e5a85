import { ServiceError } from '../../../engine/model/errors.ts'

/**
 * Semaphore with a short queue of claims (fair queueing): owners (tokens) are served in turn and share the queue
 * evenly.
 */
export type FairSemaphore = {
  /**
   * Waits for a slot, and returns a function that releases it.
   *
   * @param claim names the owner who is served; it may change while the claim waits
   * @throws ServiceError overloaded if the queue is full, or if an owner with fewer claims needs the room; canceled
   */
  acquire: (claim: Claim, signal: AbortSignal) => Promise<() => void>
  /** Number of waiting entries, of all owners or of one. */
  waiting: (owner?: string) => number
  running: () => number
}

export type Claim = { owner: string }
type Waiting = { claim: Claim; start: () => void; refuse: (error: ServiceError) => void }

export function createFairSemaphore({ slots, waitingMax }: { slots: number; waitingMax: number }): FairSemaphore {
  const queue: Waiting[] = []
  /** Turn in which each owner was last served; cleared when the queue is empty. */
  const served = new Map<string, number>()
  let running = 0
  let turn = 0

  const servedAt = ({ claim }: Waiting) => served.get(claim.owner) ?? 0

  function release(): void {
    // The slot is handed over directly, so that nobody can slip in between.
    const next = queue.reduce<Waiting | undefined>(
      (best, each) => (best === undefined || servedAt(each) < servedAt(best) ? each : best),
      undefined,
    )
    if (next === undefined) {
      running--
      served.clear()
      return
    }
    queue.splice(queue.indexOf(next), 1)
    served.set(next.claim.owner, ++turn)
    next.start()
  }

  return {
    acquire: async (claim, signal) => {
      if (running < slots) {
        running++
        served.set(claim.owner, ++turn)
        return release
      }
      if (queue.length >= waitingMax) makeRoom(queue, claim.owner)
      await new Promise<void>((start, refuse) => {
        const entry: Waiting = { claim, start, refuse }
        queue.push(entry)
        signal.addEventListener('abort', () => {
          const at = queue.indexOf(entry)
          if (at >= 0) queue.splice(at, 1)
          refuse(new ServiceError('canceled', 'the client left'))
        })
      })
      return release
    },
    waiting: (owner) => (owner === undefined ? queue.length : claimsOf(queue, owner)),
    running: () => running,
  }
}

/**
 * Makes room for an owner by refusing the latest claim of the owner with the most claims, if that owner then still
 * has at least as many.
 */
function makeRoom(queue: Waiting[], owner: string): void {
  const counts = new Map<string, number>()
  for (const { claim } of queue) counts.set(claim.owner, (counts.get(claim.owner) ?? 0) + 1)
  const [most, n] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0])
  const full = new ServiceError('overloaded', 'the queue is full')
  if (n <= claimsOf(queue, owner) + 1) throw full
  const at = queue.findLastIndex(({ claim }) => claim.owner === most)
  queue.splice(at, 1)[0].refuse(full)
}

function claimsOf(queue: Waiting[], owner: string): number {
  return queue.reduce((n, { claim }) => n + Number(claim.owner === owner), 0)
}
