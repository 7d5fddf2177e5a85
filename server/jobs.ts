import { createHash } from 'node:crypto'
import { type Request, type Response, Router } from 'express'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { formatOf } from '../engine/formats/formats.ts'
import { type Fault, ServiceError } from '../engine/model/errors.ts'
import type { FormatName } from '../engine/model/format-names.ts'
import { type Parameters, UUID } from '../engine/model/parameters.ts'
import type { JobEnd, JobSummary } from '../engine/store/job-files.ts'
import type { Jobs } from '../engine/store/jobs.ts'
import type { JobProgress, JobQueue } from '../worker/queue.ts'
import { mayRead, tokenOf } from './auth.ts'
import { knownTag, namesTag, sendNotModified, sendPublished } from './files.ts'
import { onlyMethods, PROBLEMS, type ProblemBody, ProblemError, problemBody } from './problems.ts'
import { decodeCursor, encodeCursor, queryOf, readLimit, refuseUnknown, single } from './query.ts'
import { openWatch } from './watch.ts'

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'expired'

/** A job as a client sees it. Times are RFC 3339 in UTC. */
export type JobView = {
  id: string
  export: string
  study: { id: string }
  snapshot: string
  parameters: Parameters
  state: JobState
  progress: {
    percent: number
    samplesDone: number
    samplesTotal: number
    rows: number
    bytes: number
    etaSeconds: number | null
  }
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string | null
  file: {
    href: string
    name: string
    bytes: number
    gzipBytes: number | null
    rows: number
    sha256: string
    gzipSha256: string | null
  } | null
  error: ProblemBody | null
  /** Only where the file is not CSV. */
  format?: FormatName
}

/** Tells how a job is: from its end on disk, else from the queue. */
export type ViewJob = (job: JobSummary) => Promise<JobView>

/**
 * Views for one request: once the queue did not answer it is not asked again, so that a list of many waits for it once. A job
 * without an end is `queued` when the queue cannot tell: it is on disk and will be put back.
 */
export function openView(queue: Pick<JobQueue, 'progress'>): ViewJob {
  let isAway = false
  const progressOf = async ({ id, attempt, end }: JobSummary): Promise<JobProgress | null> => {
    if (isAway || end !== null) return null
    try {
      return await queue.progress(id, attempt)
    } catch (error) {
      if (!isQueueAway(error)) throw error
      isAway = true
      return null
    }
  }
  return async (job) => view(job, await progressOf(job))
}

/** The view of a job that has only just been put into the queue. */
export const viewQueued = (job: JobSummary): JobView => view(job, null)

function isQueueAway(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'queue_away'
}

/** @param running null unless a worker is at it */
function view(job: JobSummary, running: JobProgress | null): JobView {
  const { id, plan, parameters, createdAt, end } = job
  return {
    id,
    export: plan.export,
    study: { id: plan.studyId },
    snapshot: plan.snapshotId,
    parameters,
    state: end?.state ?? (running === null ? 'queued' : 'running'),
    progress: progressView(job, running),
    createdAt,
    startedAt: end?.startedAt ?? running?.startedAt ?? null,
    finishedAt: end?.finishedAt ?? null,
    expiresAt: end?.expiresAt ?? null,
    file: fileView(job),
    error: end?.error ? problemBody(failureOf(end.error)) : null,
    ...(plan.format ? { format: plan.format } : {}),
  }
}

/** What the engine said of a failure, as words and names of files without any path; a fixed text for all else. */
const TELLABLE = /^[\w ,.:()-]{1,200}$/

/** The problem that a failed job has. */
export function failureOf({ code, message }: NonNullable<JobEnd['error']>): ProblemError {
  const isTellable = code !== 'internal' && TELLABLE.test(message)
  return new ProblemError(code, isTellable ? { detail: `${PROBLEMS[code].detail} (${message})` } : {})
}

function progressView({ samplesTotal, end }: JobSummary, running: JobProgress | null): JobView['progress'] {
  if (end?.file)
    return {
      percent: 100,
      samplesDone: end.file.samples,
      samplesTotal,
      rows: end.file.rows,
      bytes: end.file.bytes,
      etaSeconds: 0,
    }
  const { percent = 0, samplesDone = 0, rows = 0, bytes = 0, etaSeconds = null } = running ?? {}
  return { percent, samplesDone, samplesTotal, rows, bytes, etaSeconds }
}

function fileView({ id, fileName, end }: JobSummary): JobView['file'] {
  if (end?.state !== 'succeeded' || end.file === null) return null
  const { bytes, gzipBytes, rows, sha256, gzipSha256 } = end.file
  return { href: `/api2/jobs/${id}/file`, name: fileName, bytes, gzipBytes, rows, sha256, gzipSha256 }
}

/** 202: the plan is on disk and in the queue, and the job tells the rest. */
export function sendAccepted(res: Response, job: JobView): void {
  res.setHeader('Location', `/api2/jobs/${job.id}`)
  res.setHeader('Retry-After', retryAfter(job))
  res.setHeader('Cache-Control', 'no-store')
  res.status(202).json(job)
}

/** Half of what is left, but neither too often nor too seldom. */
function retryAfter({ progress }: JobView): string {
  return String(Math.min(30, Math.max(1, Math.ceil((progress.etaSeconds ?? 2) / 2))))
}

type Parts = { jobs: Jobs; queue: JobQueue; log: Logger; stopping: AbortSignal }

export function jobRoutes({ jobs, queue, log, stopping }: Parts): Router {
  const router = Router({ caseSensitive: true })
  const progress = glance(queue)
  const watch = openWatch(
    async (id) => {
      const job = await jobs.look(id)
      return job && (await openView(queue)(job))
    },
    CHANGES_EVERY_MS,
    (error) => log.error({ err: error }, 'cannot look at a job'),
  )

  /** @throws ProblemError not_found, the same for an unknown job and one on a study that the token may not read */
  async function readableJob(req: Request, res: Response): Promise<JobSummary> {
    const job = await jobs.look(String(req.params.jobId))
    if (job === null || !mayRead(tokenOf(res), job.plan.studyId)) throw new ProblemError('not_found')
    refuseUnknown(queryOf(req.url), [])
    return job
  }

  /** A job that has ended is the same object for as long as it lies unchanged on disk. */
  const textsOfEnded = new WeakMap<JobSummary, JobText>()
  async function textOf(job: JobSummary): Promise<JobText> {
    const known = textsOfEnded.get(job)
    if (known) return known
    const text = write(await openView({ progress })(job))
    if (job.end !== null) textsOfEnded.set(job, text)
    return text
  }

  router
    .route('/jobs')
    .get(async (req, res) => {
      res.setHeader('Cache-Control', 'no-store')
      res.json(await listJobs(jobs, openView(queue), tokenOf(res).studies, queryOf(req.url)))
    })
    .all(onlyMethods('GET', 'HEAD'))

  router
    .route('/jobs/:jobId')
    .get(async (req, res) => sendJob(req, res, await textOf(await readableJob(req, res))))
    .delete(async (req, res) => {
      const { id } = await readableJob(req, res)
      const { id: tokenId, role } = tokenOf(res)
      // Operators end a job for everybody, others withdraw their own interest.
      await jobs.withdraw(id, role === 'ops' ? 'all' : tokenId, new Date())
      res.setHeader('Cache-Control', 'no-store')
      res.status(204).end()
    })
    .all(onlyMethods('GET', 'HEAD', 'DELETE'))

  router
    .route('/jobs/:jobId/events')
    .get(async (req, res) => {
      const job = await readableJob(req, res)
      res.setHeader('Cache-Control', 'no-store')
      if (job.end !== null) return void res.status(204).end()
      sendEvents(req, res, (listener) => watch(job.id, listener), stopping)
    })
    .all(onlyMethods('GET', 'HEAD'))

  router
    .route('/jobs/:jobId/file')
    .get(async (req, res) => {
      const job = await readableJob(req, res)
      if (job.end === null) throw new ProblemError('not_ready')
      const tag = knownTag(req, job.id.slice(1), formatOf(job.plan))
      if (tag !== null && job.end.state === 'succeeded') return sendNotModified(res, tag)
      if (!(await sendPublished(req, res, jobs, job))) throw new ProblemError('gone')
    })
    .all(onlyMethods('GET', 'HEAD'))

  return router
}

const GLANCE_MS = 50
const GLANCES_MAX = 1000

/** How far jobs are, for those who ask again and again: the queue is asked of each a few times a second, however many want to know. */
function glance(queue: JobQueue): JobQueue['progress'] {
  const seen = new LRUCache<string, Promise<JobProgress | null>>({ max: GLANCES_MAX, ttl: GLANCE_MS })
  return (id, attempt) => {
    const key = `${id} ${attempt}`
    const known = seen.get(key)
    if (known) return known
    const looked = queue.progress(id, attempt)
    seen.set(key, looked)
    looked.catch(() => seen.delete(key))
    return looked
  }
}

/** A job as it is sent. */
type JobText = { body: string; bytes: number; tag: string; retryAfter: string | null }

function write(job: JobView): JobText {
  const body = JSON.stringify(job)
  return {
    body,
    bytes: Buffer.byteLength(body),
    tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    retryAfter: job.finishedAt === null ? retryAfter(job) : null,
  }
}

function sendJob(req: Request, res: Response, { body, bytes, tag, retryAfter }: JobText): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('ETag', tag)
  if (retryAfter !== null) res.setHeader('Retry-After', retryAfter)
  if (namesTag(req, tag)) return void res.status(304).end()
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', String(bytes))
  // As text, it goes out in one piece with its headers.
  res.end(body)
}

const STATES: JobState[] = ['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired']

/** A page of jobs on studies that the token may read. One job more than fits is looked for, to know if there is another page. */
async function listJobs(
  jobs: Jobs,
  viewOf: ViewJob,
  studies: string[] | 'all',
  query: Map<string, string[]>,
): Promise<{ jobs: JobView[]; nextCursor: string | null }> {
  const faults: Fault[] = []
  const limit = readLimit(query, faults)
  const after = decodeCursor(query, 2, faults)
  const state = single(query, 'state', faults)
  const study = single(query, 'study', faults)
  if (state !== undefined && !STATES.some((name) => name === state))
    faults.push({ parameter: 'state', rule: `must be one of ${STATES.join(', ')}`, value: state })
  if (study !== undefined && !UUID.test(study))
    faults.push({ parameter: 'study', rule: 'must be a UUID', value: study })
  refuseUnknown(query, ['state', 'study', 'limit', 'cursor'], faults)

  const isMeant = ({ plan, end }: JobSummary) =>
    (studies === 'all' || studies.includes(plan.studyId)) &&
    (study === undefined || plan.studyId === study.toLowerCase()) &&
    (state === undefined || end === null || end.state === state)
  const page: JobView[] = []
  for await (const job of jobs.list(after && { createdAt: after[0], id: after[1] })) {
    if (!isMeant(job)) continue
    const seen = await viewOf(job)
    if (state !== undefined && seen.state !== state) continue
    if (page.length === limit) {
      const { createdAt, id } = page[limit - 1]
      return { jobs: page, nextCursor: encodeCursor([createdAt, id]) }
    }
    page.push(seen)
  }
  return { jobs: page, nextCursor: null }
}

const CHANGES_EVERY_MS = 500
const HEARTBEAT_MS = 15_000

/** Server-sent events: the present job, then each change, then `end` with the job as it ended. */
function sendEvents(
  req: Request,
  res: Response,
  watch: (listener: (job: JobView | null) => void) => () => void,
  stopping: AbortSignal,
): void {
  res.setHeader('Content-Type', 'text/event-stream')
  res.setHeader('X-Accel-Buffering', 'no')
  if (req.method === 'HEAD') return void res.end()
  res.flushHeaders()
  res.write('retry: 2000\n\n')
  let last = ''
  const unwatch = watch((job) => {
    if (res.writableEnded) return
    const text = JSON.stringify(job)
    // A client that does not read misses changes, and none of our memory holds them.
    if (text !== last && !res.writableNeedDrain && job !== null) res.write(`data: ${text}\n\n`)
    last = text
    if (job === null || job.finishedAt !== null) res.end(`event: end\ndata: ${text}\n\n`)
  })
  const heartbeat = setInterval(() => {
    if (!res.writableEnded && !res.writableNeedDrain) res.write(': still here\n\n')
  }, HEARTBEAT_MS)
  const leave = () => res.end()
  stopping.addEventListener('abort', leave)
  res.once('close', () => {
    unwatch()
    clearInterval(heartbeat)
    stopping.removeEventListener('abort', leave)
  })
}
