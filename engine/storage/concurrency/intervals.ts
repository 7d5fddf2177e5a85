/**
 * Intervals within this process. They are measured by a clock that only goes on, whatever happens to the time of day,
 * and nothing on disk or in an answer depends on them.
 */

/** Starts a stopwatch. Returns a function that returns the milliseconds since then. */
export function stopwatch(): () => number {
  const startedMs = performance.now()
  return () => performance.now() - startedMs
}

/** Decides when something is due again that is done at most now and then. It is due at first. */
export type Throttle = {
  isDue: () => boolean
  /** Time until it is due; 0 and less if it is. */
  restMs: () => number
  /** Puts it off by a time from now on. */
  putOff: (ms: number) => void
}

export function openThrottle(): Throttle {
  let dueMs = Number.NEGATIVE_INFINITY
  return {
    isDue: () => performance.now() >= dueMs,
    restMs: () => dueMs - performance.now(),
    putOff: (ms) => {
      dueMs = performance.now() + ms
    },
  }
}
