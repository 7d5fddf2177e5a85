import type { Problem } from './problem.ts'
import { isPassing, retryAfterMs } from './problem-words.ts'

/** Retries of a request: `after` takes the outcome of each try, `stop` cancels the pending retry. */
type Retries = { after: (problem: Problem | null) => void; stop: () => void }

/**
 * Repeats a request whose problem passes by itself: with exponential backoff, and as soon as the network is back.
 *
 * @param again sends the request
 */
export function retrying(again: () => void): Retries {
  let failed = 0
  let pending: { timer: ReturnType<typeof setTimeout>; ends: AbortController } | null = null
  const stop = () => {
    clearTimeout(pending?.timer)
    pending?.ends.abort()
    pending = null
  }
  const goOn = () => {
    stop()
    again()
  }
  return {
    after: (problem) => {
      stop()
      failed = problem === null ? 0 : failed + 1
      if (problem === null || !isPassing(problem)) return
      const ends = new AbortController()
      pending = { timer: setTimeout(goOn, retryAfterMs(failed, problem.retryAfterSeconds)), ends }
      globalThis.addEventListener?.('online', goOn, { signal: ends.signal })
    },
    stop,
  }
}
