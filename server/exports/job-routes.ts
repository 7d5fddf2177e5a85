import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import { formatOf } from '../../engine/formats/formats.ts'
import { askedFor } from '../../engine/jobs/interest.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { filesAskedFor } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import { UNSEALED } from '../../engine/storage/files/sealed-json.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { may, readable, tokenOf } from '../access/authorize.ts'
import { mayReadPlan } from '../access/link-gate.ts'
import { loudJson } from '../http/loud-json.ts'
import { ProblemError } from '../http/problems.ts'
import { noteDeed, noteSent } from '../http/request-log.ts'
import type { JOB_ROUTES } from '../routes/jobs.ts'
import type { Answers, RouteHandler } from '../routes/route.ts'
import type { JobView } from '../schemas/job.ts'
import { type SignFile, signingFiles } from './direct-file.ts'
import { sendEvents } from './job-events.ts'
import { pageOfJobs } from './job-list.ts'
import { openView, retryAfter } from './job-view.ts'
import { publishedFile, publishedParts } from './published.ts'
import { knownTag, namesTag, sendNotModified, sendPublished } from './send-file.ts'
import { openWatch } from './watch-jobs.ts'

/** Answers 202 with a job whose plan is on disk and, until it has ended, in the queue. */
export function sendAccepted(res: Response, job: JobView): void {
  noteSent(res, { study: job.study.id, export: job.export, plan: job.id.slice(1), job: job.id })
  res.setHeader('Location', `/api2/jobs/${job.id}`)
  res.setHeader('Retry-After', retryAfter(job))
  res.setHeader('Cache-Control', 'no-store')
  res.type('json').status(202).send(loudJson(job))
}

const CHANGES_EVERY_MS = 500

type Parts = {
  config: Pick<Config, 'storePresignSeconds'>
  jobs: Jobs
  queue: JobQueue
  audit: AuditLog
  log: Logger
  stopping: AbortSignal
}

/** Returns the handlers of jobs. */
export function jobRoutes({ config, jobs, queue, audit, log, stopping }: Parts): Answers<typeof JOB_ROUTES> {
  const sign = signingFiles(jobs, config.storePresignSeconds)
  const textOf = cachedTexts(queue, sign)
  const watch = openWatch(
    async (id) => {
      const { job } = await jobs.find(id)
      return job && (await openView(queue, sign)(job))
    },
    CHANGES_EVERY_MS,
    (error) => log.error({ err: error }, 'cannot look at a job'),
  )
  const sendFile: RouteHandler<typeof JOB_ROUTES.getJobFile> = async ({ req, res, job }) => {
    if (job.end === null) throw new ProblemError('not_ready')
    const tag = knownTag(req, job.id.slice(1), formatOf(job.plan))
    if (tag !== null && job.end.state === 'succeeded') return sendNotModified(res, tag)
    const file = publishedFile(job)
    if (file === null && filesAskedFor(job.plan) !== null)
      throw new ProblemError('not_found', { detail: `The job has parts instead of one file: /api2/jobs/${job.id}` })
    if (file === null || !(await sendPublished(req, res, jobs, job, file))) throw new ProblemError('gone')
  }
  const sendPart: RouteHandler<typeof JOB_ROUTES.getJobPart> = async ({ req, res, job }) => {
    const number = Number(/^[1-9]\d{0,8}$/.exec(String(req.params.part))?.[0])
    if (!(number <= (filesAskedFor(job.plan) ?? 0))) throw new ProblemError('not_found')
    if (job.end === null) throw new ProblemError('not_ready')
    const part = publishedParts(job)[number - 1]
    if (part === undefined) throw new ProblemError('gone')
    const tag = knownTag(req, part.tag, formatOf(job.plan))
    if (tag !== null) return sendNotModified(res, tag)
    if (!(await sendPublished(req, res, jobs, job, part))) throw new ProblemError('gone')
  }
  return {
    listJobs: ({ token, query }) => pageOfJobs({ jobs, queue }, openView(queue), readable(token), query),
    getJob: async ({ req, res, job }) => sendJob(req, res, await textOf(job)),
    withdrawJob: async ({ res, job: { id, plan }, token }) => {
      noteDeed(audit, res, { event: 'job withdrawn', job: id, study: plan.studyId, export: plan.export })
      // Operators end a job for everybody, others withdraw their own interest.
      await withdrawInterest(jobs, id, token.role === 'ops' ? 'all' : token.id, new Date())
    },
    followJob: ({ req, res, job }) => {
      if (job.end !== null) return void res.status(204).end()
      sendEvents(req, res, (listener) => watch(job.id, listener), stopping)
    },
    getJobFile: sendFile,
    headJobFile: sendFile,
    getJobPart: sendPart,
    headJobPart: sendPart,
  }
}

/**
 * Returns the job that a request names.
 *
 * @throws ProblemError not_found, the same for an unknown job and one on a study that the token may not read
 */
export async function readableJob(
  jobs: Jobs,
  studies: StudyReader,
  req: Request,
  res: Response,
): Promise<{ job: Job }> {
  const id = String(req.params.jobId)
  const { job, damage } = await jobs.find(id)
  if (job === null && damage?.endsWith(UNSEALED) && (await askedFor(jobs, id, tokenOf(res).id)))
    throw new ServiceError('other_format', `an earlier version of Gazette made job ${id}: request the export again`)
  if (job === null || !may('read', tokenOf(res), job.plan.studyId)) throw new ProblemError('not_found')
  if (!(await mayReadPlan(studies, res, job.plan))) throw new ProblemError('not_found')
  return { job }
}

/**
 * Returns a cache of serialized jobs. As long as an ended job is unchanged on disk, it is the same object and has the
 * same text.
 */
function cachedTexts(queue: JobQueue, sign: SignFile): (job: Job) => Promise<JobText> {
  const ofEnded = new WeakMap<Job, JobText>()
  const progress = cachedProgress(queue)
  return async (job) => {
    const known = ofEnded.get(job)
    if (known) return known
    const view = await openView({ progress }, sign)(job)
    const text = write(view)
    // A presigned URL that has expired is renewed.
    const isSigned = [view.file, ...(view.parts ?? [])].some((file) => file?.direct)
    if (job.end !== null && !isSigned) ofEnded.set(job, text)
    return text
  }
}

const PROGRESS_TTL_MS = 50
const CACHED_PROGRESS_MAX = 1000

/**
 * Caches the progress of jobs for 50 ms, in an LRU cache. So however many clients poll, the queue is asked about each
 * job only a few times a second.
 */
function cachedProgress(queue: JobQueue): JobQueue['progress'] {
  const seen = new LRUCache<string, Promise<RunningJob | null>>({ max: CACHED_PROGRESS_MAX, ttl: PROGRESS_TTL_MS })
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

/** A serialized job. */
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
  // As text, it is sent in one piece with its headers.
  res.end(body)
}
