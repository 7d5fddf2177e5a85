import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  asProblem,
  type DescribedParticipants,
  getJson,
  type Loaded,
  type Participant,
  type Participants,
  type Problem,
  useData,
} from '../api.ts'
import { linkQuery, useLink } from '../link-seen.ts'
import { nameOf } from '../number-texts.ts'
import { inNaturalOrder } from './people-order.ts'

/** A study's participants, as far as they have come; once all have, in the natural order of their names. */
export type People = {
  /** The first page, with the counts of all. */
  first: Loaded<Participants>
  all: Participant[]
  /** Their names by id. */
  names: Map<string, string>
  isComplete: boolean
  /** Problem that kept the rest from loading. */
  problem: Problem | null
}

/**
 * Loads all participants, page after page; the first page is enough to begin.
 *
 * @param wanted the query of the tests that they must have, such as `?filter=…`; null to load none
 */
export function usePeople(studyId: string, wanted: string | null = ''): People {
  const link = useLink()
  // Others than those of its tests are not there for whoever came by a link.
  const query = wanted === '' && link !== null ? linkQuery(link) : wanted
  const path = `/api2/studies/${studyId}/participants`
  const first = useData<Participants>(query === null ? null : path + query, 0, `${studyId} ${query}`)
  const [rest, setRest] = useState<Participant[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    setRest([])
    setProblem(null)
    if (first.data !== null)
      void loadRest(`${path}${query}`, first.data.nextCursor, controller.signal, setRest).catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(asProblem(error))
      })
    return () => controller.abort()
  }, [first.data, studyId, query])
  // Once all are there: sorting those of each page anew would move those that somebody looks at.
  const { all, isComplete } = useMemo(() => {
    const come = [...(first.data?.participants ?? []), ...rest]
    const isComplete = first.data !== null && come.length >= first.data.total
    return { all: isComplete ? inNaturalOrder(come) : come, isComplete }
  }, [first.data, rest])
  const names = useMemo(() => new Map(all.map((each) => [each.id, nameOf(each)])), [all])
  return { first, all, names, isComplete, problem }
}

/** Returns the name of a participant, or that all are meant. */
export function whoOf({ names }: Pick<People, 'names'>, participantId: string | null): string {
  return participantId === null ? 'all participants' : (names.get(participantId) ?? participantId.slice(0, 8))
}

/** Loads the number, age and gender of all participants; by a link, of those whom it shows. */
export function useDescribedParticipants(studyId: string): Loaded<DescribedParticipants> {
  const link = useLink()
  const path = `/api2/studies/${studyId}/analysis/participants${link === null ? '' : linkQuery(link)}`
  return useData<DescribedParticipants>(path, 0, path)
}

/** Loads the pages from a cursor on, and tells after each what has come. */
async function loadRest(
  path: string,
  cursor: string | null,
  signal: AbortSignal,
  tell: (all: Participant[]) => void,
): Promise<void> {
  const all: Participant[] = []
  for (let next = cursor; next !== null; ) {
    const at = `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next)}`
    const page = await getJson<Participants>(at, signal)
    all.push(...page.participants)
    next = page.nextCursor
    tell([...all])
  }
}

/** Loads the ids of all participants who have a test that a query keeps. Throws a Problem. */
export async function keptIds(studyId: string, query: string, signal: AbortSignal): Promise<Set<string>> {
  const path = `/api2/studies/${studyId}/participants${query}`
  const first = await getJson<Participants>(path, signal)
  let all = first.participants
  await loadRest(path, first.nextCursor, signal, (rest) => {
    all = [...first.participants, ...rest]
  })
  return new Set(all.map(({ id }) => id))
}
