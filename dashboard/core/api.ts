import { openRequest } from '../../clients/js/src/request.ts'
import type * as api from '../../clients/js/src/types.ts'
import { clearAnswers } from './answer-cache.ts'
import type { Session } from './answers.ts'
import { problemFrom } from './problem.ts'

/** Types of the server's answers: the public API's and the dashboard's own. */
export type {
  Aoi,
  AoiPart,
  ChangedDescription,
  Clusters as ClustersData,
  Comparisons as ComparisonsData,
  DescribedParticipants,
  DropRates as DropRate,
  Export as ExportInfo,
  Flow,
  FormatDescription as FormatInfo,
  Import,
  ImportReport,
  ImportToStudy,
  Item,
  Job as JobView,
  LastHour,
  Looks as LooksData,
  Loss as LossData,
  Methods as MethodsData,
  Microsaccades as MicrosaccadesData,
  Mixed as MixedData,
  Offsets as OffsetsData,
  Operations,
  OperatorJob,
  PastAois,
  Pupils as PupilsData,
  Quality as QualityData,
  Reading as ReadingData,
  Scanpaths as ScanpathsData,
  SearchResults,
  StudyDetails as Study,
  StudyHistory,
  StudySummary,
  TableSchema as Schema,
  Tags as TagsData,
  Transitions as TransitionsData,
  Upload,
  UploadList,
  Within as WithinData,
} from '../../clients/js/src/types.ts'
export type {
  AoisData,
  FixationRow,
  FixationsData,
  GazeBin,
  GazeData,
  HeatmapData,
  Kept,
  Participant,
  Participants,
  PictureShown,
  Preview,
  PupilTrace,
  PupilTraces as PupilTracesData,
  RecordedTest,
  Recordings as RecordingsData,
  Session,
} from './answers.ts'

export { type Problem, problemFrom } from './problem.ts'

export type Comparison = api.Comparisons['comparisons'][number]
export type TestKind = api.Comparisons['test']
/** Analysis with its settings by name, as the pages use it. */
export type StudyAnalysis = Omit<api.Analysis, 'settings'> & { settings?: Record<string, number | string> }
/** Step as the pages use it: each field belongs to one type of step. */
export type FlowStep = {
  type: string
  text?: string
  durationMs?: number
  stimuli?: { id?: string; durationMs?: number }
  question?: { text?: string; type?: string }
}
type AnyParameter = Required<api.ParameterDescription>
/** Parameter as the pages use it; only numbers have `min`, `max` and `unit`. */
export type ParameterInfo = Omit<AnyParameter, 'name' | 'choices'> & { name: string }
export type ExportCatalog = Omit<api.ExportList, 'parameters'> & { parameters: ParameterInfo[] }

/**
 * Returns whether a session's token may change a study that it reads. One of a project that was made since the session
 * was loaded is not among its studies yet.
 */
export function mayWrite(session: Session, studyId: string): boolean {
  const { token } = session
  if (token === null || !mayBringIn(session)) return false
  return token.studies === 'all' || token.projects.length > 0 || token.studies.includes(studyId.toLowerCase())
}

/** Returns whether a session's token may make studies. */
export function mayMake(session: Session): boolean {
  return mayBringIn(session) && (session.token?.studies === 'all' || session.token?.projects.length !== 0)
}

/** Returns whether a session's token may import data into any study. */
export function mayBringIn({ token }: Session): boolean {
  return token !== null && (token.role === 'write' || token.role === 'ops')
}

/** Name of the command-line program, from the session. */
export const commandLine = { program: 'gazette' }

/** Hook that shows the sign-in page when a session has ended. */
export const onSignedOut = { call: () => {} }

const ask = openRequest({ url: '' })

/** Change token of the session. If the server refuses it, another tab may have signed in again: it is fetched anew. */
let changeToken: string | null = null

/**
 * Sends a request as the signed-in user; a change carries the session's change token.
 *
 * @throws Problem for any status but 2xx and 304; AbortError if aborted
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const isChange = init.method !== undefined && init.method !== 'GET' && init.method !== 'HEAD'
  if (isChange) sentAhead.clear()
  const send = async () => {
    const headers = { ...(isChange ? await changeHeader() : {}), ...(init.headers as Record<string, string>) }
    return ask(path, { ...init, headers })
  }
  const again = (error: unknown) => {
    if (!isChange || changeToken === null || problemFrom(error).type !== CHANGE_TOKEN_NEEDED) throw error
    changeToken = null
    return send()
  }
  return send()
    .catch(again)
    .catch(async (error: unknown) => {
      const { status } = problemFrom(error)
      if (status === 401 && path !== '/api2/session') onSignedOut.call()
      if (status === 404 && (await isStudyGone(path))) throw Object.assign(error as object, { isStudyGone: true })
      throw error
    })
}

/** Looks up whether a path that was not found belongs to a study that is not there either. */
async function isStudyGone(path: string): Promise<boolean> {
  const study = /^\/api2\/studies\/[^/?]+/.exec(path)?.[0]
  if (study === undefined) return false
  return (
    study === path ||
    ask(study).then(
      () => false,
      (error: unknown) => problemFrom(error).status === 404,
    )
  )
}

const CHANGE_TOKEN_NEEDED = '/docs/problems/change-token-needed'

async function changeHeader(): Promise<Record<string, string>> {
  changeToken ??= (await getJson<Session>('/api2/session')).changeToken
  return changeToken === null ? {} : { 'X-Change-Token': changeToken }
}

/** Sends a body as JSON and returns the answer's JSON. @throws as `request` does */
export async function sendJson<T>(
  path: string,
  method: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<T> {
  const sent = {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  }
  return (await request(path, sent)).json() as Promise<T>
}

/** Returns the JSON of an answer: that of a request that was sent ahead, or of a new one. @throws as `request` does */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  // One that failed is asked for anew, and its problem told, by who wants it.
  const ahead = await sentAhead.get(path)?.catch(() => undefined)
  if (ahead !== undefined) return ahead as T
  return (await request(path, { signal })).json() as Promise<T>
}

/** Answers to requests that were sent before the code that asks for them had come. */
const sentAhead = new Map<string, Promise<unknown>>()
const AHEAD_MS = 5000

/** Requests what a page asks for first, while its code comes; answers are kept for seconds, until something changes. */
export function sendAhead(paths: string[]): void {
  for (const path of paths.filter((each) => !sentAhead.has(each))) {
    const answer = ask(path).then((response) => response.json())
    sentAhead.set(path, answer)
    answer.catch(() => sentAhead.delete(path))
  }
  setTimeout(() => {
    for (const path of paths) sentAhead.delete(path)
  }, AHEAD_MS)
}

/** Returns the answer to a request that was sent ahead. @throws if it failed, or was not sent */
export function answerAhead(path: string): Promise<unknown> {
  return sentAhead.get(path) ?? Promise.reject(new Error(`${path} was not sent ahead`))
}

/** Clears the cache of answers, when a user signs out or in. */
export function forgetAll(): void {
  clearAnswers()
  sentAhead.clear()
  changeToken = null
}
