import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { StudyAnalysis } from '../../../engine/model/study-analysis.ts'
import { asProblem, getJson, mayWrite, type Problem, request, type Session, sendJson } from '../core/api.ts'
import { useIsView } from '../core/link-seen.ts'
import { setQuery, usePlace } from '../core/router.ts'
import { FIRST_ANALYSIS, ignoring, NO_ANALYSIS, type Stored } from './decided.ts'

/** The session of whoever looks, for pages deep below. */
export const SessionSeen = createContext<Session | null>(null)

/** The analyses of the study that is looked at, and the one that its pages have. */
export type AnalysisSeen = {
  all: Stored[]
  current: Stored | null
  /** What an address names that is none. */
  unknown: string | null
  problem: Problem | null
  mayChange: boolean
  choose: (name: string | null) => void
  /** Stores an analysis under a name, and has the pages use it. */
  store: (name: string, analysis: StudyAnalysis) => Promise<void>
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

type Former = { name: string; analysis: StudyAnalysis | null; shown: string | null }

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
  const [former, setFormer] = useState<Former | null>(null)
  const load = async (signal?: AbortSignal) => {
    // Who came by a link to a page sees the one that it was made with.
    if (!isView) return setAll((await getJson<{ analyses: Stored[] }>(base, signal)).analyses)
    setAll(wanted === null ? [] : [await getJson<Stored>(`${base}/${wanted}`, signal)])
  }
  useEffect(() => {
    const controller = new AbortController()
    setAll(null)
    setFormer(null)
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
  const change = async (name: string, work: () => Promise<unknown>, shown: string | null) => {
    setProblem(null)
    const before = all.find((each) => each.name === name)?.analysis ?? null
    try {
      await work()
      setFormer({ name, analysis: before, shown: wanted })
      await load()
      setQuery({ analysis: shown })
    } catch (error) {
      setProblem(asProblem(error))
      await load().catch(() => undefined)
    }
  }
  const put = (name: string, analysis: StudyAnalysis) => {
    const known = all.find((each) => each.name === name)
    return sendJson(`${base}/${name}`, 'PUT', analysis, known ? { 'If-Match': `"${known.reference}"` } : {})
  }
  const drop = (name: string) => request(`${base}/${name}`, { method: 'DELETE' })
  const store = (name: string, analysis: StudyAnalysis) => change(name, () => put(name, analysis), name)
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
    undo:
      former === null
        ? null
        : async () => {
            const { name, analysis, shown } = former
            await change(name, () => (analysis === null ? drop(name) : put(name, analysis)), shown)
            setFormer(null)
          },
  }
}
