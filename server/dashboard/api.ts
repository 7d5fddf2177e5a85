import { useEffect, useState } from 'preact/hooks'
import type { z } from 'zod'
import type * as catalog from '../schemas/catalog.ts'
import type * as dashboard from '../schemas/dashboard.ts'
import type * as flow from '../schemas/flow.ts'
import type * as methods from '../schemas/methods.ts'
import type { ProblemBody } from '../schemas/problem.ts'
import type * as study from '../schemas/study.ts'

/** The answers of the server. The schemas stay on the server: only their types are used here. */
export type Session = z.infer<typeof dashboard.Session>
export type Participant = z.infer<typeof dashboard.Participant>
export type Participants = z.infer<typeof dashboard.Participants>
export type Kept = z.infer<typeof dashboard.Kept>
export type Preview = z.infer<typeof dashboard.Preview>
export type FixationRow = z.infer<typeof dashboard.FixationRow>
export type FixationsData = z.infer<typeof dashboard.Fixations>
export type GazeBin = z.infer<typeof dashboard.GazeBin>
export type GazeData = z.infer<typeof dashboard.Gaze>
export type HeatmapData = z.infer<typeof dashboard.Heatmap>
export type AoisData = z.infer<typeof dashboard.AoiTable>
export type Operations = z.infer<typeof dashboard.Operations>
export type StudySummary = z.infer<typeof study.StudySummary>
export type Study = z.infer<typeof study.StudyDetails>
export type Item = z.infer<typeof study.Item>
export type Aoi = z.infer<typeof study.Aoi>
export type AoiPart = z.infer<typeof study.AoiPart>
export type DropRate = z.infer<typeof study.DropRates>
export type ExportInfo = z.infer<typeof catalog.Export>
export type FormatInfo = z.infer<typeof catalog.FormatDescription>
export type Schema = z.infer<typeof catalog.TableSchema>
export type MethodsData = z.infer<typeof methods.Methods>
export type Flow = z.infer<typeof flow.Flow>
/** A step, as the pages read it: each field belongs to one type of step. */
export type Step = {
  type: string
  text?: string
  durationMs?: number
  stimuli?: { id?: string; durationMs?: number }
  question?: { text?: string; type?: string }
}
type AnyParameter = Required<z.infer<typeof catalog.ParameterDescription>>
/** A parameter, as the pages read it; `min`, `max` and `unit` are there where it is a number. */
export type ParameterInfo = Omit<AnyParameter, 'name' | 'choices'> & { name: string }
export type Catalog = Omit<z.infer<typeof catalog.ExportList>, 'parameters'> & { parameters: ParameterInfo[] }

/** A problem as the server tells it; status 0 when it does not answer at all. */
export type Problem = {
  status: number
  title: string
  detail: string
  type: string | null
  /** Parameters that were refused. */
  errors?: ProblemBody['errors']
}

const AWAY: Problem = {
  status: 0,
  title: 'Gazette does not answer',
  detail: 'The server may have been stopped, or the network is away. Start it again with npm start, then retry.',
  type: null,
}

export function asProblem(error: unknown): Problem {
  return typeof error === 'object' && error !== null && 'status' in error ? (error as Problem) : AWAY
}

/** A hook that shows the sign-in page when a session has ended. */
export const onSignedOut = { call: () => {} }

/**
 * Asks the server as the signed-in user; a change goes with the session's change token, asked for each time, since another tab
 * may have signed in anew. Throws a Problem for anything but 2xx and 304; an AbortError when aborted.
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const isChange = init.method !== undefined && init.method !== 'GET'
  const headers = { ...(isChange ? await changeHeader() : {}), ...(init.headers as Record<string, string>) }
  const response = await fetch(path, { ...init, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    throw (error as Error).name === 'AbortError' ? error : AWAY
  })
  if (response.ok) return response
  const problem = await problemOf(response)
  if (problem.status === 401 && path !== '/api2/session') onSignedOut.call()
  throw problem
}

async function changeHeader(): Promise<Record<string, string>> {
  const { changeToken } = await getJson<Session>('/api2/session')
  return changeToken === null ? {} : { 'X-Change-Token': changeToken }
}

async function problemOf(response: Response): Promise<Problem> {
  const fallback = { status: response.status, title: `Status ${response.status}`, detail: '', type: null }
  return response
    .json()
    .then((body: Partial<Problem>) => ({ ...fallback, ...body }))
    .catch(() => fallback)
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, { signal })).json() as Promise<T>
}

export type Loaded<T> = {
  /** What was loaded last, also while the next is on its way or when it did not come. */
  data: T | null
  /** Whether `data` is of the path asked for, not of the one before. */
  isFresh: boolean
  problem: Problem | null
  retry: () => void
}

const KEPT_MAX = 60
const kept = new Map<string, unknown>()

/** Forgets all data, when somebody signs out or in. */
export function forgetAll(): void {
  kept.clear()
}

/**
 * Loads JSON, again whenever the path changes; the last one asked for wins.
 *
 * @param path null for nothing to load
 * @param everyMs loads again and again; 0 for once
 * @param subject what it is about: data of another subject is not shown while the new is on its way
 */
export function useData<T>(path: string | null, everyMs = 0, subject = ''): Loaded<T> {
  /** `path` is the last one that was answered, `dataPath` the one that `data` came from. */
  type State = {
    path: string | null
    dataPath: string | null
    subject: string
    data: T | null
    problem: Problem | null
  }
  const [state, setState] = useState<State>({ path: null, dataPath: null, subject, data: null, problem: null })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (path === null) return
    const controller = new AbortController()
    let timer = 0
    const load = async () => {
      try {
        const data = await getJson<T>(path, controller.signal)
        if (everyMs === 0) keep(path, data)
        setState({ path, dataPath: path, subject, data, problem: null })
      } catch (error) {
        if (controller.signal.aborted) return
        const problem = asProblem(error)
        const isSame = (before: State) => before.subject === subject
        setState((before) => ({
          ...(isSame(before) ? before : { dataPath: null, data: null }),
          path,
          subject,
          problem,
        }))
      }
      if (everyMs > 0 && !controller.signal.aborted) timer = window.setTimeout(load, everyMs)
    }
    const known = everyMs === 0 ? (kept.get(path) as T | undefined) : undefined
    if (known === undefined) void load()
    else setState({ path, dataPath: path, subject, data: known, problem: null })
    return () => {
      controller.abort()
      window.clearTimeout(timer)
    }
  }, [path, attempt, everyMs, subject])
  return {
    data: state.subject === subject ? state.data : null,
    isFresh: state.dataPath === path && state.data !== null,
    problem: state.path === path ? state.problem : null,
    retry: () => {
      setState((before) => ({ ...before, problem: null }))
      setAttempt(attempt + 1)
    },
  }
}

function keep(path: string, data: unknown): void {
  kept.delete(path)
  kept.set(path, data)
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string)
}
