import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import {
  asProblem,
  getJson,
  mayWrite,
  type Problem,
  request,
  type Session,
  type StudyAnalysis,
  sendJson,
} from '../api.ts'
import { useIsView } from '../link-seen.ts'
import { setQuery, usePlace } from '../router.ts'
import { FIRST_ANALYSIS, ignoring, NO_ANALYSIS, type Stored } from './decided.ts'

/** The session of whoever looks, for pages deep below. */
export const SessionSeen = createContext<Session | null>(null)

/** The analyses of the study that is looked at, and the one that its pages have. */
export type AnalysisSeen = {
  all: Stored[]
  current: Stored | null
  /** Name in the address that is not an analysis. */
  unknown: string | null
  problem: Problem | null
  mayChange: boolean
  choose: (name: string | null) => void
  /** Stores an analysis under a name, and has the pages use it. @param takenUp what it holds of the address */
  store: (name: string, analysis: StudyAnalysis, takenUp?: readonly string[]) => Promise<void>
  ignore: (participantId: string) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Takes the last change back; null without one. */
  undo: (() => Promise<void>) | null
}

export const Seen = createContext<AnalysisSeen | null>(null)

/** Returns the analyses of the study; null on pages that have none. */
export function useAnalysis(): AnalysisSeen | null {
  return useContext(Seen)
}

/**
 * State before the last change, and the result of that change: "Undo" reverts only that.
 *
 * @property by who changed it
 * @property analysis, made null for none
 * @property query what the change took out of the address
 */
type Former = {
  by: string
  name: string
  analysis: StudyAnalysis | null
  made: string | null
  shown: string | null
  query: Record<string, string>
}

/** The last change in each study, which may be undone on any page. */
const formers = new Map<string, Former>()

/** Loads the analyses of a study; null until they have come. */
export function useAnalyses(studyId: string): AnalysisSeen | null {
  const session = useContext(SessionSeen)
  const isView = useIsView()
  const wanted = usePlace().query.get('analysis')
  const stored = useStored(studyId, wanted, isView)
  const change = useChanges(studyId, wanted, stored, session?.token?.name ?? '')
  const { all, past, problem } = stored
  const first = all?.some(({ name }) => name === FIRST_ANALYSIS) ? FIRST_ANALYSIS : null
  // So that the address says which it is, also where it is copied from.
  useEffect(() => {
    if (wanted === null && first !== null) setQuery({ analysis: first })
  }, [wanted, first])
  const isKnown = (some: Stored[]) => some.some(({ reference }) => reference === wanted)
  if (all === null || (isVersion(wanted) && past?.reference !== wanted && !isKnown(all))) return null
  const named = wanted ?? first
  const isNamed = ({ name, reference }: Stored) => reference === named || name === named
  const current = [...all, ...(past === null ? [] : [past])].find(isNamed) ?? null
  return {
    ...change,
    all,
    current,
    problem,
    unknown: named === null || named === NO_ANALYSIS || current !== null ? null : named,
    mayChange: !isView && session !== null && session.link === null && mayWrite(session, studyId),
    choose: (name) => setQuery({ analysis: name ?? (first === null ? null : NO_ANALYSIS) }),
    ignore: (participantId) => {
      const name = current?.name ?? FIRST_ANALYSIS
      const base = current ?? all.find((each) => each.name === name)
      return change.store(name, ignoring(base?.analysis ?? {}, participantId))
    },
  }
}

/** Returns whether an address names a version of an analysis. */
function isVersion(wanted: string | null): wanted is string {
  return wanted !== null && /^[a-z0-9-]+@[0-9a-f]{12}$/.test(wanted)
}

type StoredAnalyses = ReturnType<typeof useStored>

/** Loads the analyses that a study has now, and the past version that the address names. */
function useStored(studyId: string, wanted: string | null, isView: boolean) {
  const base = `/api2/studies/${studyId}/analyses`
  const [all, setAll] = useState<Stored[] | null>(null)
  const [past, setPast] = useState<Stored | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const load = async (signal?: AbortSignal): Promise<Stored[]> => {
    // Who came by a link to a page sees the one that it was made with.
    const found = !isView
      ? (await getJson<{ analyses: Stored[] }>(base, signal)).analyses
      : wanted === null
        ? []
        : [await getJson<Stored>(`${base}/${wanted}`, signal)]
    setAll(found)
    return found
  }
  useEffect(() => {
    const controller = new AbortController()
    setAll(null)
    load(controller.signal).catch((error: unknown) => {
      if (controller.signal.aborted) return
      setAll([])
      setProblem(asProblem(error))
    })
    return () => controller.abort()
  }, [studyId])
  useEffect(() => {
    if (!isVersion(wanted)) return
    const controller = new AbortController()
    getJson<Stored>(`${base}/${wanted}`, controller.signal).then(setPast, () => setPast(null))
    return () => controller.abort()
  }, [base, wanted])
  return { base, all, past, problem, setProblem, load }
}

/** Returns what stores and removes analyses, and takes the last change back. @param by who changes them */
function useChanges(
  studyId: string,
  wanted: string | null,
  { base, all, load, setProblem }: StoredAnalyses,
  by: string,
): Pick<AnalysisSeen, 'store' | 'remove' | 'undo'> {
  const { query } = usePlace()
  const [, setFormer] = useState<Former | null>(null)
  const remember = (former: Former | null) => {
    if (former === null) formers.delete(studyId)
    else formers.set(studyId, former)
    setFormer(former)
  }
  const now = all ?? []
  /** Does what changes the analyses; a failure is told, and what they are now is loaded. */
  const attempt = async (work: () => Promise<void>) => {
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(asProblem(error))
      await load().catch(() => undefined)
    }
  }
  const change = (
    name: string,
    next: StudyAnalysis | null,
    shown: string | null,
    takenUp: readonly string[] = [],
  ): Promise<void> => {
    const before = now.find((each) => each.name === name)?.analysis ?? null
    const taken = Object.fromEntries(takenUp.flatMap((each) => (query.has(each) ? [[each, query.get(each)!]] : [])))
    return attempt(async () => {
      await setAnalysis(base, now, name, next)
      const made = referenceOf(await load(), name)
      remember({ by, name, analysis: before, made, shown: wanted, query: taken })
      setQuery({ ...Object.fromEntries(takenUp.map((each) => [each, null])), analysis: shown })
    })
  }
  const former = formers.get(studyId)
  // Nobody takes back what somebody else has changed since.
  const mayUndo = former?.by === by && former.made === referenceOf(now, former.name)
  return {
    store: (name, analysis, takenUp) => change(name, analysis, name, takenUp),
    remove: (name) => change(name, null, null),
    undo: !mayUndo
      ? null
      : () =>
          attempt(async () => {
            await setAnalysis(base, now, former.name, former.analysis)
            remember(null)
            await load()
            setQuery({ ...former.query, analysis: former.shown })
          }),
  }
}

function referenceOf(some: Stored[], name: string): string | null {
  return some.find((each) => each.name === name)?.reference ?? null
}

/** Stores an analysis, or deletes it where there is none, if nobody else has changed it. */
function setAnalysis(base: string, now: Stored[], name: string, analysis: StudyAnalysis | null) {
  const reference = referenceOf(now, name)
  const headers: Record<string, string> = reference === null ? {} : { 'If-Match': `"${reference}"` }
  return analysis === null
    ? request(`${base}/${name}`, { method: 'DELETE', headers })
    : sendJson(`${base}/${name}`, 'PUT', analysis, headers)
}
