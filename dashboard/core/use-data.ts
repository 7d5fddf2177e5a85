import { useLayoutEffect, useState } from 'preact/hooks'
import { getJson } from './api.ts'
import { NO_OUTCOME, type ObservedAnswer, observeAnswer } from './observe-answer.ts'
import type { Problem } from './problem.ts'

export type Loaded<T> = {
  /** Data of the last successful request; kept while the next one runs or after it failed. */
  data: T | null
  /** True if `data` belongs to the current path, not to the previous one. */
  isFresh: boolean
  problem: Problem | null
  retry: () => void
}

/**
 * Loads JSON, again whenever the path changes; the latest request wins.
 *
 * @param path null to load nothing
 * @param everyMs polling interval; 0 loads once
 * @param subject identity of the data. Data of another subject is not shown while new data loads. Within one subject,
 * requests are coalesced: one at a time, then the latest, so that a drawing follows a slider as fast as answers arrive.
 * Without a subject, an outdated request is aborted
 */
export function useData<T>(path: string | null, everyMs = 0, subject = ''): Loaded<T> {
  const [outcome, setOutcome] = useState<ObservedAnswer<T>>(NO_OUTCOME)
  const [observer] = useState(() => observeAnswer<T>(getJson, setOutcome))
  // Layout effects, since ordinary effects would start one frame later.
  useLayoutEffect(() => observer.want({ path, everyMs, subject }), [path, everyMs, subject])
  useLayoutEffect(() => observer.stop, [])
  return {
    data: outcome.subject === subject ? outcome.data : null,
    isFresh: outcome.dataPath === path && outcome.data !== null,
    problem: outcome.path === path ? outcome.problem : null,
    retry: observer.retry,
  }
}
