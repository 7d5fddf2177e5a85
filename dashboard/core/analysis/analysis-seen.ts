import { createContext } from 'preact'
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import {
  getJson,
  mayWrite,
  type Problem,
  problemFrom,
  request,
  type Session,
  type StudyAnalysis,
  sendJson,
} from '../api.ts'
import { useIsView } from '../link-seen.ts'
import { setQuery, usePlace } from '../router.ts'
import { FIRST_ANALYSIS, ignoring, NO_ANALYSIS, type Stored } from './decided.ts'

/** Session of the current user, as context for nested components. */
export const SessionSeen = createContext<Session | null>(null)

/** Analyses of the study on this page, and the one in use. */
export type AnalysisSeen = {
  all: Stored[]
  current: Stored | null
  /** Name in the address that matches no analysis. */
  unknown: string | null
  problem: Problem | null
  mayChange: boolean
  choose: (name: string | null) => void
  /**
   * Stores an analysis under a name and selects it.
   *
   * @param takenUp parameters of the address that the analysis now holds
   */
  store: (name: string, analysis: StudyAnalysis, takenUp?: readonly string[]) => Promise<void>
  ignore: (participantId: string) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Undoes the last change; null without one. */
  undo: (() => Promise<void>) | null
}

export const AnalysisContext = createContext<AnalysisSeen | null>(null)

/** Returns the analyses of the study; null on pages that have none. */
export function useAnalysis(): AnalysisSeen | null {
  return useContext(AnalysisContext)
}

/**
 * State before the last change, and its result: "Undo" reverts only this change.
 *
 * @property by name of the user who made the change
 * @property analysis content before the change; null for none
 * @property made reference after the change; null for none
 * @property query parameters that the change removed from the address
 */
type Former = {
  by: string
  name: string
  analysis: StudyAnalysis | null
  made: string | null
  shown: string | null
  query: Record<string, string>
}

/** Last change in each study; "Undo" works on every page. */
const formers = new Map<string, Former>()

/** Loads the analyses of a study; null while loading. */
export function useAnalyses(studyId: string): AnalysisSeen | null {
  const session = useContext(SessionSeen)
  const isView = useIsView()
  const wanted = usePlace().query.get('analysis')
  const stored = useStored(studyId, wanted, isView)
  const change = useChanges(studyId, wanted, stored, session?.token?.name ?? '')
  const { all, past, problem } = stored
  const first = firstOf(all ?? [])
  // The address names the analysis, so that a copied address does, too.
  useEffect(() => {
    if (wanted === null && first !== null) setQuery({ analysis: first })
  }, [wanted, first])
  const current = all === null ? undefined : storedAnalysis([...all, ...(past === null ? [] : [past])], wanted)
  if (all === null || current === undefined) return null
  const named = wanted ?? first
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

/**
 * Returns the analysis that an address names, or the default one; null for none.
 *
 * @returns undefined for a past version that is not among them
 */
export function storedAnalysis(all: Stored[], wanted: string | null): Stored | null | undefined {
  if (isVersion(wanted) && !all.some(({ reference }) => reference === wanted)) return undefined
  const named = wanted ?? firstOf(all)
  return all.find(({ name, reference }) => reference === named || name === named) ?? null
}

function firstOf(all: Stored[]): string | null {
  return all.some(({ name }) => name === FIRST_ANALYSIS) ? FIRST_ANALYSIS : null
}

/** Returns whether the address names one version of an analysis. */
function isVersion(wanted: string | null): wanted is string {
  return wanted !== null && /^[a-z0-9-]+@[0-9a-f]{12}$/.test(wanted)
}

/** Loads the current analyses of a study, and the past version that the address names. */
function useStored(studyId: string, wanted: string | null, isView: boolean) {
  const base = `/api2/studies/${studyId}/analyses`
  const [all, setAll] = useState<Stored[] | null>(null)
  const [past, setPast] = useState<Stored | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const load = async (signal?: AbortSignal): Promise<Stored[]> => {
    // A link to a page always shows the analysis with which it was made.
    const found = !isView
      ? (await getJson<{ analyses: Stored[] }>(base, signal)).analyses
      : wanted === null
        ? []
        : [await getJson<Stored>(`${base}/${wanted}`, signal)]
    setAll(found)
    return found
  }
  // A layout effect, since an ordinary one would start one frame later.
  useLayoutEffect(() => {
    const controller = new AbortController()
    setAll(null)
    load(controller.signal).catch((error: unknown) => {
      if (controller.signal.aborted) return
      setAll([])
      setProblem(problemFrom(error))
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

/**
 * Returns functions that store and remove analyses and undo the last change.
 *
 * @param by name of the user who makes the changes
 */
function useChanges(
  studyId: string,
  wanted: string | null,
  { base, all, load, setProblem }: ReturnType<typeof useStored>,
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
  /** Runs a change; on failure, shows the problem and reloads the analyses. */
  const attempt = async (work: () => Promise<void>) => {
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(problemFrom(error))
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
  // Undo is offered only if nobody else has changed the analysis since.
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

/** Stores an analysis, or deletes it if `analysis` is null. @throws Problem if somebody else has changed it since */
function setAnalysis(base: string, now: Stored[], name: string, analysis: StudyAnalysis | null) {
  const reference = referenceOf(now, name)
  const headers: Record<string, string> = reference === null ? {} : { 'If-Match': `"${reference}"` }
  return analysis === null
    ? request(`${base}/${name}`, { method: 'DELETE', headers })
    : sendJson(`${base}/${name}`, 'PUT', analysis, headers)
}
