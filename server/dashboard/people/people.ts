import { useEffect, useMemo, useState } from 'preact/hooks'
import { asProblem, getJson, type Loaded, type Participant, type Participants, type Problem, useData } from '../api.ts'

/** A study's participants, as far as they have come. */
export type People = {
  /** The first page, with the counts of all. */
  first: Loaded<Participants>
  all: Participant[]
  isComplete: boolean
  /** Why the rest did not come. */
  problem: Problem | null
}

/**
 * Loads all participants, page after page; the first page is enough to begin.
 *
 * @param query of the tests that they must have, such as `?filter=…`; null to load none
 */
export function usePeople(studyId: string, query: string | null = ''): People {
  const path = `/api2/studies/${studyId}/participants`
  const first = useData<Participants>(query === null ? null : path + query, 0, `${studyId} ${query}`)
  const [rest, setRest] = useState<Participant[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    const load = async (cursor: string | null, before: Participant[]): Promise<void> => {
      if (cursor === null) return
      const next = `${path}${query === '' ? '?' : `${query}&`}cursor=${encodeURIComponent(cursor)}`
      const page = await getJson<Participants>(next, controller.signal)
      const all = [...before, ...page.participants]
      setRest(all)
      await load(page.nextCursor, all)
    }
    setRest([])
    setProblem(null)
    if (first.data !== null)
      void load(first.data.nextCursor, []).catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(asProblem(error))
      })
    return () => controller.abort()
  }, [first.data, studyId, query])
  const all = useMemo(() => [...(first.data?.participants ?? []), ...rest], [first.data, rest])
  return { first, all, isComplete: first.data !== null && all.length >= first.data.total, problem }
}
