import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../engine/model/errors.ts'
import { isCode, isDiskFull } from '../../engine/model/system-errors.ts'

/** Timeout of a call to the queue. */
const PATIENCE_MS = 2000
const PROBE_EVERY_MS = 500

export type CircuitBreaker = {
  /**
   * Calls the queue.
   *
   * @param work gets a function that tells whether it was given up; it must then change nothing
   * @throws ServiceError queue_away, disk_full if the queue's own disk is full
   */
  for: <T>(work: (isGivenUp: () => boolean) => Promise<T>) => Promise<T>
  stop: () => void
}

/**
 * Wraps calls to a queue that may be unavailable in a circuit breaker: a call answers within 2 s or throws.
 * While the circuit is open, calls fail at once, until a background probe succeeds, so no backlog builds up.
 */
export function circuitBreaker(probe: () => Promise<void>): CircuitBreaker {
  /** Fault of all calls while the circuit is open. */
  let away: ServiceError | null = null
  let stopped = false
  const waitForIt = async () => {
    while (!stopped) {
      try {
        await probe()
        away = null
        return
      } catch {
        await sleep(PROBE_EVERY_MS, undefined, { ref: false })
      }
    }
  }
  return {
    for: async (work) => {
      if (away !== null) throw faultOf(away)
      let givenUp = false
      try {
        return await withTimeout(work(() => givenUp))
      } catch (error) {
        givenUp = true
        const fault = faultOf(error)
        if (away === null && !stopped) {
          away = fault
          void waitForIt()
        }
        throw fault
      }
    },
    stop: () => {
      stopped = true
    },
  }
}

/** Returns true if a call to the queue failed since the queue is away, or its disk full. */
export function isQueueFault(error: unknown): boolean {
  return isCode(error, 'queue_away', 'disk_full')
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

/** The embedded queue is on the disk of the data directory, and is away once that is full. */
function faultOf(cause: unknown): ServiceError {
  if (isDiskFull(cause))
    return new ServiceError('disk_full', 'there is no space left on the disk of the queue', { cause })
  return new ServiceError('queue_away', 'The queue cannot be reached', { cause })
}
