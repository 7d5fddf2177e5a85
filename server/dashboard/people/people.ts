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

/** Loads all participants, page after page; the first page is enough to begin. */
export function usePeople(studyId: string): People {
  const first = useData<Participants>(`/api2/studies/${studyId}/participants`)
  const [rest, setRest] = useState<Participant[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    const load = async (cursor: string | null, before: Participant[]): Promise<void> => {
      if (cursor === null) return
      const path = `/api2/studies/${studyId}/participants?cursor=${encodeURIComponent(cursor)}`
      const page = await getJson<Participants>(path, controller.signal)
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
  }, [first.data, studyId])
  const all = useMemo(() => [...(first.data?.participants ?? []), ...rest], [first.data, rest])
  return { first, all, isComplete: first.data !== null && all.length >= first.data.total, problem }
}
