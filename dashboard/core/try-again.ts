import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from './problem.ts'
import { isPassing, retryAfterMs } from './problem-words.ts'

/**
 * Repeats a request whose problem passes by itself, later each time, and as soon as the network is back.
 *
 * @param outcome of the last try, a new object each time
 */
export function useTryAgain(outcome: { problem: Problem | null }, again: () => void): void {
  const failed = useRef(0)
  useEffect(() => {
    const { problem } = outcome
    failed.current = problem === null ? 0 : failed.current + 1
    if (problem === null || !isPassing(problem)) return
    const later = window.setTimeout(again, retryAfterMs(failed.current, problem.retryAfterSeconds))
    window.addEventListener('online', again)
    return () => {
      window.clearTimeout(later)
      window.removeEventListener('online', again)
    }
  }, [outcome])
}
