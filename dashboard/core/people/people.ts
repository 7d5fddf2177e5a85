import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  type DescribedParticipants,
  getJson,
  type Participant,
  type Participants,
  type Problem,
  problemFrom,
} from '../api.ts'
import { linkQuery, useLink } from '../link-seen.ts'
import { participantLabel } from '../number-texts.ts'
import { type Loaded, useData } from '../use-data.ts'
import { inNaturalOrder } from './people-order.ts'

/** Participants of a study loaded so far; once all are loaded, in the natural order of their names. */
export type People = {
  /** First page, with the total counts. */
  first: Loaded<Participants>
  all: Participant[]
  /** Names by id. */
  names: Map<string, string>
  isComplete: boolean
  /** Problem that stopped loading the other pages. */
  problem: Problem | null
  retry: () => void
}

/** Returns whether a participant is not in the study, which is known once all are loaded. */
export function isNotInStudy({ isComplete, names }: People, participantId: string): boolean {
  return isComplete && !names.has(participantId)
}

/**
 * Loads all participants, page after page; the first page is usable at once.
 *
 * @param wanted query for the tests that they must have, such as `?filter=…`; null to load none, undefined to load all
 * @param losses of all participants: `known` loads what was lost of their tests only if the server has counted it
 */
export function usePeople(studyId: string, wanted?: string | null, losses: 'known' | 'true' = 'known'): People {
  const link = useLink()
  // A link gives access to the participants of its own tests only.
  const ofAll = link === null ? `?${new URLSearchParams({ losses })}` : linkQuery(link, { losses })
  const query = wanted === undefined ? ofAll : wanted
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
        if (!controller.signal.aborted) setProblem(problemFrom(error))
      })
    return () => controller.abort()
  }, [first.data, studyId, query])
  // Sort only when all are loaded: sorting page by page would move rows while somebody reads them.
  const { all, isComplete } = useMemo(() => {
    const come = [...(first.data?.participants ?? []), ...rest]
    const isComplete = first.data !== null && come.length >= first.data.total
    return { all: isComplete ? inNaturalOrder(come) : come, isComplete }
  }, [first.data, rest])
  const names = useMemo(() => new Map(all.map((each) => [each.id, participantLabel(each)])), [all])
  return { first, all, names, isComplete, problem, retry: first.retry }
}

/**
 * Adds what was lost of their tests to participants of whom it is not yet known: the server may have to read samples
 * for it, so names come first. Its problem is that of either.
 */
export function useWithLosses(studyId: string, people: People, isWanted = true): People {
  const isLacking = isWanted && people.isComplete && people.all.some(({ loss }) => loss === undefined)
  const late = usePeople(studyId, isLacking ? undefined : null, 'true')
  if (!isLacking) return people
  const problem = people.problem ?? late.first.problem ?? late.problem
  const retry = people.problem === null ? late.retry : people.retry
  return { ...people, all: late.isComplete ? late.all : people.all, problem, retry }
}

/** Returns the name of a participant, or "all participants". */
export function whoOf({ names }: Pick<People, 'names'>, participantId: string | null): string {
  return participantId === null ? 'all participants' : (names.get(participantId) ?? participantId.slice(0, 8))
}

/** Loads the number, age and gender of all participants; with a link, of those that it shows. */
export function useDescribedParticipants(studyId: string): Loaded<DescribedParticipants> {
  const link = useLink()
  const path = `/api2/studies/${studyId}/analysis/participants${link === null ? '' : linkQuery(link)}`
  return useData<DescribedParticipants>(path, 0, path)
}

/** Loads the remaining pages from a cursor on; calls `tell` after each. */
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

/** Loads the ids of all participants with a test that a query keeps. @throws Problem */
export async function keptIds(studyId: string, query: string, signal: AbortSignal): Promise<Set<string>> {
  const path = `/api2/studies/${studyId}/participants${query}`
  const first = await getJson<Participants>(path, signal)
  let all = first.participants
  await loadRest(path, first.nextCursor, signal, (rest) => {
    all = [...first.participants, ...rest]
  })
  return new Set(all.map(({ id }) => id))
}
