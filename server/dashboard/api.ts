import { useEffect, useState } from 'preact/hooks'

/** What the server answers, as far as the pages use it. */
export type Session = {
  version: string
  signedIn: boolean
  token: { name: string; role: 'read' | 'ops'; studies: 'all' | string[]; expiresAt: string | null } | null
}
export type StudySummary = {
  id: string
  name: string
  snapshot: string
  participantCount: number
  itemCount: number
  testCount: number
  sampleCount: number
}
export type Item = {
  id: string
  filename: string
  stimuliDurationMs: number | null
  widthPx: number | null
  heightPx: number | null
  testCount: number
}
export type AoiPart = {
  areaPoints:
    | { topLeft: { xPx: number; yPx: number }; bottomRight: { xPx: number; yPx: number } }
    | { points: { x: number; y: number }[] }
  timeRange?: { fromMs: number; toMs: number } | null
}
export type Aoi = { id: string; itemId: string; name: string; parts: AoiPart[] }
export type Study = StudySummary & { items: Item[]; aois: Aoi[] }
export type Step = {
  type: string
  text?: string
  durationMs?: number
  stimuli?: { id?: string; durationMs?: number }
  question?: { text?: string; type?: string }
}
export type Flow = { steps: Step[] }
export type DropRate = {
  studies: { study: { id: string }; startedCount: number; completedCount: number; dropRatePercents: number | null }[]
}
export type Participant = {
  id: string
  externalId: string
  displayName: string
  age: number | null
  displayGender: string
  qualityGrade: number
  isCompleted: boolean
  grades: (number | null)[]
}
export type Participants = {
  total: number
  itemIds: string[]
  testsByGrade: number[][]
  keptTests: number[]
  keptParticipants: number[]
  participantsByGrade: number[]
  participants: Participant[]
  nextCursor: string | null
}
export type ExportInfo = {
  name: string
  title: string
  rowPer: string
  path: string
  variant: string | null
  settings: string[]
  schema: string
}
export type ParameterInfo = {
  name: string
  kind: 'uuid' | 'int' | 'float'
  unit: string
  default: number
  min: number
  max: number
  meaning: string
}
export type FormatInfo = { name: string; title: string; extension: string }
export type Catalog = { exports: ExportInfo[]; parameters: ParameterInfo[]; formats: FormatInfo[] }
export type Schema = {
  title: string
  description: string
  fields: { name: string; type: string; unit: string | null; description: string; missingValues: string[] }[]
}
export type Kept = { tests: number; testsTotal: number; participants: number; participantsTotal: number }
export type Preview = {
  export: string
  notes: string
  estimate: { samples: number; bytes: number }
  kept: Kept
  columns: string[]
  rows: string[][] | null
  isSmall: boolean
}
type ChartHead = { export: string; notes: string; kept: Kept }
/** x %, y %, start ms, end ms, saccade length px, amplitude %, duration ms, then the places of its AOIs. */
export type FixationRow = [
  number,
  number,
  number,
  number,
  number | null,
  number | null,
  number | null,
  ...aois: number[],
]
export type FixationsData = ChartHead & {
  fixationCount: number
  testCount: number
  listedTests: number
  sums: { durationMs: number; saccadeCount: number; amplitudePercent: number }
  tests: { testId: string; participantId: string; fixations: FixationRow[] }[]
}
export type GazeBin = {
  fromMs: number
  n: number
  participants: number
  meanX: number | null
  meanY: number | null
  sdX: number | null
  sdY: number | null
  inAoi: number[]
}
export type GazeData = ChartHead & {
  binMs: number
  pointCount: number
  laterCount: number
  pointsEvery: number
  bins: GazeBin[]
  points: [number, number, number][]
}
export type HeatmapData = ChartHead & {
  of: 'gazes' | 'fixations'
  weighting: 'counts' | 'participants'
  unit: string
  widthPx: number
  heightPx: number
  columns: number
  rows: number
  count: number
  total: number
  outside: number
  participants: number
  weights: number[]
}
export type AoisData = ChartHead & { columns: string[]; rows: string[][] }
export type Operations = {
  version: string
  queue: { kind: string; answers: boolean; jobs: Record<string, number> | null }
  workers: { connected: number | null; concurrencyEach: number }
  engine: { threads: number; running: number; waiting: number }
  waitingClients: { computing: number; inLine: number; heldBytes: number }
  disk: { freeMib: number | null; floorMib: number; isEnough: boolean; exportsMaxGib: number }
}

/** A problem as the server tells it; status 0 when it does not answer at all. */
export type Problem = { status: number; title: string; detail: string; type: string | null }

const AWAY: Problem = {
  status: 0,
  title: 'Gazette does not answer',
  detail: 'The server may have been stopped, or the network is away. Start it again with npm start, then retry.',
  type: null,
}

export function asProblem(error: unknown): Problem {
  return typeof error === 'object' && error !== null && 'status' in error ? (error as Problem) : AWAY
}

/** Whoever shows the sign-in page when a session has ended. */
export const onSignedOut = { call: () => {} }

/** Asks the server as the signed-in user. Throws a Problem for anything but 2xx and 304; an AbortError when aborted. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'X-Gazette-Dashboard': '1', ...(init.headers as Record<string, string>) }
  const response = await fetch(path, { ...init, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    throw (error as Error).name === 'AbortError' ? error : AWAY
  })
  if (response.ok) return response
  const problem = await problemOf(response)
  if (problem.status === 401 && path !== '/api2/session') onSignedOut.call()
  throw problem
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
