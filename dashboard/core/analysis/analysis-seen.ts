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
  const { query } = usePlace()
  const session = useContext(SessionSeen)
  const isView = useIsView()
  const wanted = query.get('analysis')
  const base = `/api2/studies/${studyId}/analyses`
  const [all, setAll] = useState<Stored[] | null>(null)
  const [past, setPast] = useState<Stored | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [, setFormer] = useState<Former | null>(null)
  const by = session?.token?.name ?? ''
  const remember = (former: Former | null) => {
    if (former === null) formers.delete(studyId)
    else formers.set(studyId, former)
    setFormer(former)
  }
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
  const isPast = wanted !== null && /^[a-z0-9-]+@[0-9a-f]{12}$/.test(wanted)
  useEffect(() => {
    if (!isPast) return
    const controller = new AbortController()
    getJson<Stored>(`${base}/${wanted}`, controller.signal).then(setPast, () => setPast(null))
    return () => controller.abort()
  }, [base, wanted])
  const first = all?.some(({ name }) => name === FIRST_ANALYSIS) ? FIRST_ANALYSIS : null
  // So that the address says which it is, also where it is copied from.
  useEffect(() => {
    if (wanted === null && first !== null) setQuery({ analysis: first })
  }, [wanted, first])
  if (all === null || (isPast && past?.reference !== wanted && !all.some(({ reference }) => reference === wanted)))
    return null
  const named = wanted ?? first
  const current =
    [...all, ...(past === null ? [] : [past])].find(({ name, reference }) => reference === named || name === named) ??
    null

  const choose = (name: string | null) => setQuery({ analysis: name ?? (first === null ? null : NO_ANALYSIS) })
  const referenceOf = (some: Stored[], name: string) => some.find((each) => each.name === name)?.reference ?? null
  const change = async (
    name: string,
    work: () => Promise<unknown>,
    shown: string | null,
    takenUp: readonly string[] = [],
  ) => {
    setProblem(null)
    const before = all.find((each) => each.name === name)?.analysis ?? null
    const taken = Object.fromEntries(takenUp.flatMap((each) => (query.has(each) ? [[each, query.get(each)!]] : [])))
    try {
      await work()
      const made = referenceOf(await load(), name)
      const cleared = Object.fromEntries(takenUp.map((each) => [each, null]))
      remember({ by, name, analysis: before, made, shown: wanted, query: taken })
      setQuery({ ...cleared, analysis: shown })
    } catch (error) {
      setProblem(asProblem(error))
      await load().catch(() => undefined)
    }
  }
  const ifMatch = (name: string): Record<string, string> => {
    const reference = referenceOf(all, name)
    return reference === null ? {} : { 'If-Match': `"${reference}"` }
  }
  const put = (name: string, analysis: StudyAnalysis) => sendJson(`${base}/${name}`, 'PUT', analysis, ifMatch(name))
  const drop = (name: string) => request(`${base}/${name}`, { method: 'DELETE', headers: ifMatch(name) })
  const store = (name: string, analysis: StudyAnalysis, takenUp?: readonly string[]) =>
    change(name, () => put(name, analysis), name, takenUp)
  const former = formers.get(studyId)
  // Nobody takes back what somebody else has changed since.
  const mayUndo = former?.by === by && former.made === referenceOf(all, former.name)
  return {
    all,
    current,
    unknown: named === null || named === NO_ANALYSIS || current !== null ? null : named,
    problem,
    mayChange: !isView && session !== null && session.link === null && mayWrite(session, studyId),
    choose,
    store,
    ignore: (participantId) => {
      const name = current?.name ?? FIRST_ANALYSIS
      const base = current ?? all.find((each) => each.name === name)
      return store(name, ignoring(base?.analysis ?? {}, participantId))
    },
    remove: (name) => change(name, () => drop(name), null),
    undo: !mayUndo
      ? null
      : async () => {
          const { name, analysis, shown, query: taken } = former
          setProblem(null)
          try {
            await (analysis === null ? drop(name) : put(name, analysis))
            remember(null)
            await load()
            setQuery({ ...taken, analysis: shown })
          } catch (error) {
            setProblem(asProblem(error))
            await load().catch(() => undefined)
          }
        },
  }
}
