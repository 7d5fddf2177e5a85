import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../engine/model/errors.ts'

/** Timeout of a call to the queue. */
const PATIENCE_MS = 2000
const PROBE_EVERY_MS = 500

export type CircuitBreaker = {
  /**
   * Calls the queue.
   *
   * @param work gets a function that tells whether it was given up; it must then change nothing
   * @throws ServiceError queue_away
   */
  for: <T>(work: (isGivenUp: () => boolean) => Promise<T>) => Promise<T>
  stop: () => void
}

/**
 * Wraps calls to a queue that may be unavailable in a circuit breaker: a call answers within 2 s or throws queue_away.
 * While the circuit is open, calls fail at once, until a background probe succeeds, so no backlog builds up.
 */
export function circuitBreaker(probe: () => Promise<void>): CircuitBreaker {
  let away = false
  let stopped = false
  const waitForIt = async () => {
    while (!stopped) {
      try {
        await probe()
        away = false
        return
      } catch {
        await sleep(PROBE_EVERY_MS, undefined, { ref: false })
      }
    }
  }
  return {
    for: async (work) => {
      if (away) throw queueAway()
      let givenUp = false
      try {
        return await withTimeout(work(() => givenUp))
      } catch (error) {
        givenUp = true
        if (!away && !stopped) {
          away = true
          void waitForIt()
        }
        throw queueAway(error)
      }
    },
    stop: () => {
      stopped = true
    },
  }
}

/** Throws queue_away after PATIENCE_MS. */
export async function withTimeout<T>(promise: Promise<T>): Promise<T> {
  // Its later result is ignored.
  promise.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function queueAway(cause?: unknown): ServiceError {
  return new ServiceError('queue_away', 'The queue cannot be reached', { cause })
}
