import { cacheAnswer, cachedAnswer } from './answer-cache.ts'
import { lastWanted } from './last-wanted.ts'
import { type Problem, problemFrom } from './problem.ts'
import { retrying } from './try-again.ts'

/** Path to request, or null for nothing; how often to poll it, in ms, or 0; identity of its data. */
type WantedAnswer = { path: string | null; everyMs: number; subject: string }

/** `path` was answered last; `data` came from `dataPath` and belongs to `subject`. */
export type ObservedAnswer<T> = {
  path: string | null
  dataPath: string | null
  subject: string
  data: T | null
  problem: Problem | null
}

export const NO_OUTCOME: ObservedAnswer<never> = { path: null, dataPath: null, subject: '', data: null, problem: null }

/**
 * Observes the answer to the latest wanted path. Within one subject, requests are coalesced; otherwise an outdated one
 * is aborted.
 *
 * @param ask sends a request
 * @param tell takes each outcome
 */
export function observeAnswer<T>(
  ask: (path: string, signal: AbortSignal) => Promise<T>,
  tell: (outcome: ObservedAnswer<T>) => void,
): { want: (next: WantedAnswer) => void; retry: () => void; stop: () => void } {
  let wanted: WantedAnswer = { path: null, everyMs: 0, subject: '' }
  let outcome: ObservedAnswer<T> = NO_OUTCOME
  let timer: ReturnType<typeof setTimeout> | undefined

  const set = (next: ObservedAnswer<T>) => {
    outcome = next
    tell(next)
  }
  const load = async ({ path, everyMs, subject }: WantedAnswer & { path: string }, signal: AbortSignal) => {
    try {
      const data = await ask(path, signal)
      if (signal.aborted) return
      // Values that a slider only passed through are not cached.
      if (everyMs === 0 && path === wanted.path) cacheAnswer(path, data)
      set({ path, dataPath: path, subject, data, problem: null })
    } catch (error) {
      if (signal.aborted) return
      const before = outcome.subject === subject ? outcome : NO_OUTCOME
      set({ ...before, path, subject, problem: problemFrom(error) })
    }
    if (everyMs === 0) retries.after(outcome.problem)
    else timer = setTimeout(begin, everyMs)
  }
  const asking = lastWanted(load)
  const drop = () => {
    asking.drop()
    retries.stop()
    clearTimeout(timer)
  }
  const begin = () => {
    const { path, everyMs, subject } = wanted
    if (path === null) return
    const known = everyMs === 0 ? (cachedAnswer(path) as T | undefined) : undefined
    if (known === undefined) return asking.want({ path, everyMs, subject })
    asking.drop()
    set({ path, dataPath: path, subject, data: known, problem: null })
  }
  const retries = retrying(begin)
  return {
    want: (next) => {
      if (areCoalesced(wanted, next)) retries.stop()
      else drop()
      wanted = next
      begin()
    },
    retry: () => {
      drop()
      set({ ...outcome, problem: null })
      begin()
    },
    stop: drop,
  }
}

function areCoalesced(before: WantedAnswer, next: WantedAnswer): boolean {
  const isFollowed = ({ path, everyMs }: WantedAnswer) => path !== null && everyMs === 0
  return next.subject !== '' && next.subject === before.subject && isFollowed(before) && isFollowed(next)
}
