import type { Request, Response } from 'express'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { formatOf } from '../../engine/formats/formats.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { isStanding } from '../../engine/jobs/request-job.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { type FilePlan, filesAskedFor, isPackage, jobId, planId } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { countPackageSamples } from '../../engine/products/package/make-package-plan.ts'
import { estimatePlan } from '../../engine/run/estimate.ts'
import { countParts } from '../../engine/run/parts/run-part.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { tokenOf } from '../access/authorize.ts'
import { leaving } from '../http/leaving.ts'
import { readPreferences } from '../http/prefer.ts'
import { ProblemError } from '../http/problems.ts'
import { EXPORT_ROUTES, exportPath, PACKAGE_ROUTES } from '../routes/exports.ts'
import { type Bound, bind, type RouteRequest } from '../routes/route.ts'
import { UNSIGNED } from './direct-file.ts'
import { sendAccepted } from './job-routes.ts'
import { failureOf, openView, viewQueued } from './job-view.ts'
import { publishedFile } from './published.ts'
import type { Queued } from './queued.ts'
import { cachedParser, type ParsedRequest, parsePackageRequest } from './read-request.ts'
import {
  asksForRange,
  factsOfFile,
  knownTag,
  negotiateKind,
  sendAnswer,
  sendNotModified,
  sendPublished,
  setFileHeaders,
} from './send-file.ts'
import type { ExportAnswer, SyncLine } from './sync.ts'

type Parts = { config: Config; jobs: Jobs; syncLine: SyncLine; queued: Queued; queue: JobQueue }

type Wanted = ParsedRequest & { snapshot: Snapshot }

/** Returns the handlers of exports, one for each path of the registry, and of packages. */
export function exportRoutes(parts: Parts): Bound[] {
  const { formulaGuard } = parts.config
  const ofPaths = new Map<string, ReturnType<typeof answerExport>>(
    [...new Set(EXPORTS.map(({ path }) => path))].map((path) => {
      const entries = EXPORTS.filter((entry) => entry.path === path)
      return [exportPath(path), answerExport(cachedParser(entries, formulaGuard), parts)]
    }),
  )
  const ofPackage = answerExport((req, snapshot) => parsePackageRequest(req, snapshot, formulaGuard), parts)
  return [
    ...bind(
      EXPORT_ROUTES,
      Object.fromEntries(Object.entries(EXPORT_ROUTES).map(([name, { path }]) => [name, ofPaths.get(path)!])),
    ),
    ...bind(PACKAGE_ROUTES, { exportPackage: ofPackage, headPackage: ofPackage }),
  ]
}

/**
 * Answers requests for exports. Checks run in the order of docs/http.md, "Small and large exports": If-None-Match,
 * finished file, Prefer, then small or large.
 */
function answerExport(
  parseRequest: (req: Request, snapshot: Snapshot) => Promise<ParsedRequest>,
  parts: Parts,
): (asked: RouteRequest<typeof PACKAGE_ROUTES.exportPackage>) => Promise<void> {
  const { jobs, syncLine } = parts
  return async ({ req, res, snapshot }) => {
    const asked = { ...(await parseRequest(req, snapshot)), snapshot }
    res.setHeader('X-Snapshot', snapshot.id)
    if (asked.output === 'parts' && req.method === 'GET') {
      const client = leaving(res)
      const { samples } = await estimateFile(asked.plan, snapshot, client)
      return answerParts(req, res, asked, samples, client, parts)
    }
    const id = planId(asked.plan)
    const format = formatOf(asked.plan)
    const tag = knownTag(req, id, format)
    if (tag !== null) return sendNotModified(res, tag)
    const { job } = await jobs.find(jobId(asked.plan))
    const published = job && publishedFile(job)
    if (published && (await sendPublished(req, res, jobs, job, published))) return
    if (job !== null) throwFailure(job)
    const facts = { ...factsOfFile(asked.plan), planId: id, tag: id, fileName: asked.fileName }
    const gzip = negotiateKind(req, format) === 'gzip' && !asksForRange(req, id, format)
    const sendComputed = (answer: ExportAnswer) =>
      sendAnswer(req, res, facts, gzip ? answer : { ...answer, gzip: null })
    const { plan } = asked
    if (req.method === 'HEAD') {
      const kept = isPackage(plan) ? null : await syncLine.kept(plan, gzip)
      if (kept !== null) return sendComputed(kept)
      setFileHeaders(res, facts, negotiateKind(req, format))
      return void res.end()
    }
    const client = leaving(res)
    const { respondAsync, returnsManifest } = readPreferences(req)
    const estimate = await estimateFile(plan, snapshot, client)
    const isLarge = estimate.samples > parts.config.splitSamples
    if (returnsManifest && isLarge && asked.output === 'one')
      return answerParts(req, res, asked, estimate.samples, client, parts)
    if (!isPackage(plan) && !respondAsync && syncLine.isSmall(estimate)) {
      const computed = await syncLine
        .compute({ plan, snapshot, gzip, owner: tokenOf(res).id, signal: client })
        .catch(unlessTooLarge)
      if (computed !== null) return sendComputed(computed.value).finally(computed.release)
    }
    await answerQueued(req, res, asked, estimate.samples, client, parts)
  }
}

/** Estimates a file. A package is always made by a job. */
async function estimateFile(plan: FilePlan, snapshot: Snapshot, client: AbortSignal) {
  if (!isPackage(plan)) return estimatePlan(plan, snapshot, client)
  return { samples: await countPackageSamples(plan, snapshot, client), bytes: Number.POSITIVE_INFINITY }
}

/** Answers a request for several files: always 202 with their job, which lists them once it has succeeded. */
async function answerParts(
  req: Request,
  res: Response,
  asked: Wanted,
  samples: number,
  client: AbortSignal,
  parts: Parts,
): Promise<void> {
  const { plan: whole, snapshot } = asked
  const plan = isPackage(whole) ? whole : { ...whole, parts: countParts(samples, snapshot, parts.config.splitSamples) }
  const { job } = await parts.jobs.find(jobId(plan))
  if (job !== null) throwFailure(job)
  return answerQueued(req, res, { ...asked, plan }, samples, client, parts)
}

function unlessTooLarge(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'too_large') return null
  throw error
}

/**
 * Queues a plan and delays the answer: 200 with the file if the job is done in time, otherwise 202 with the job; for a
 * job in parts always 202.
 */
async function answerQueued(
  req: Request,
  res: Response,
  { plan, parameters, fileName }: Wanted,
  samplesTotal: number,
  client: AbortSignal,
  { config, jobs, queued, queue }: Parts,
): Promise<void> {
  const { respondAsync, waitSeconds, returnsManifest, applied } = readPreferences(req)
  const isInParts = filesAskedFor(plan) !== null
  const all = [applied, isInParts && returnsManifest ? 'return=manifest' : ''].filter((text) => text !== '')
  const holdMs = (waitSeconds ?? (respondAsync ? 0 : config.holdSeconds)) * 1000
  const { id: tokenId, name: tokenName } = tokenOf(res)
  const record = await queued.ask(plan, { tokenId, tokenName, parameters, samplesTotal, fileName })
  const latest = await queued.hold(record, holdMs, client)
  if (client.aborted) return
  if (all.length > 0) res.setHeader('Preference-Applied', all.join(', '))
  if (latest !== null && (latest.end === null || (isInParts && latest.end.state === 'succeeded'))) {
    const isFresh = record.begun && latest === record
    return sendAccepted(res, isFresh ? viewQueued(latest) : await openView(queue, UNSIGNED)(latest))
  }
  const published = latest && publishedFile(latest)
  if (published && (await sendPublished(req, res, jobs, latest, published))) return
  if (latest !== null) throwFailure(latest)
  // A job is deleted as a whole when somebody is removed whom its filter might name.
  throw new ProblemError(latest?.end?.state === 'canceled' ? 'canceled' : 'gone')
}

/** Throws the problem of a recently failed job, so that the same failure is not computed again and again. */
function throwFailure({ end }: Job): void {
  if (end?.state !== 'failed' || !isStanding(end, new Date())) return
  throw end.error ? failureOf(end.error) : new ProblemError('internal')
}
