import express, { type Express, type RequestHandler, type Router } from 'express'
import helmet from 'helmet'
import type { Logger } from 'pino'
import type { AuditLog } from '../engine/access/audit-log.ts'
import { openSessions, type Sessions } from '../engine/access/sessions.ts'
import type { Tokens } from '../engine/access/tokens.ts'
import { openUsages } from '../engine/access/usage.ts'
import type { LiveStudies } from '../engine/live/live-studies.ts'
import type { Config } from '../engine/model/settings.ts'
import type { EnginePool } from '../engine/run/pool/pool.ts'
import type { Home } from '../engine/study/home.ts'
import { openUploads } from '../engine/uploads/open-uploads.ts'
import type { JobQueue } from '../worker/queue/job-queue.ts'
import { letOperatorsIn, limitRequests, requireOperator } from './access/authorize.ts'
import { countFailures, type Failures } from './access/failures.ts'
import { mountRoutes } from './access/mount-routes.ts'
import { openProvider } from './access/provider.ts'
import { providerRoutes } from './access/provider-routes.ts'
import { admitting, type FindTokens } from './access/reach.ts'
import { sessionRoutes } from './access/session-routes.ts'
import { sharedRoutes } from './access/shared-file.ts'
import { catalogRoutes, findNamedExport } from './exports/catalog-routes.ts'
import { exportRoutes } from './exports/export-routes.ts'
import { jobRoutes, readableJob } from './exports/job-routes.ts'
import { openQueued, type Queued } from './exports/queued.ts'
import { studySchemaRoutes } from './exports/study-schema-routes.ts'
import { openSyncLine, type SyncLine } from './exports/sync.ts'
import { addPage } from './http/add-path.ts'
import { refuseBodies } from './http/body/body.ts'
import { openBodyRoom } from './http/body/body-room.ts'
import { clientRoutes } from './http/client-files.ts'
import { dashboardRoutes } from './http/dashboard-files.ts'
import { problemPages } from './http/problem-pages.ts'
import { answerErrors, answerNotFound, ProblemError } from './http/problems.ts'
import { requireHttps, trustedProxy } from './http/proxy.ts'
import { setPublicOrigin } from './http/public-origin.ts'
import { logRequests } from './http/request-log.ts'
import { openRateLimiter } from './http/waiting/rate-limiter.ts'
import { docsRoutes } from './openapi/docs-page.ts'
import { BOARD_PATH, boardRoutes } from './operations/board.ts'
import { createHealth } from './operations/health.ts'
import { countSockets, createMetrics } from './operations/metrics.ts'
import { operationsRoutes } from './operations/operation-routes.ts'
import { findWebhook, webhookRoutes } from './operations/webhook-routes.ts'
import { ANALYSES_ROUTES, ANALYSIS_ROUTES } from './routes/analyses.ts'
import { CATALOG_ROUTES } from './routes/catalog.ts'
import { IMPORT_ROUTES, UPLOAD_ROUTES } from './routes/imports.ts'
import { JOB_ROUTES } from './routes/jobs.ts'
import { LINK_ROUTES, SHARED_ROUTES } from './routes/links.ts'
import { OPERATION_ROUTES } from './routes/operations.ts'
import { bind } from './routes/route.ts'
import { SESSION_ROUTES } from './routes/session.ts'
import {
  HISTORY_ROUTES,
  IMAGE_ROUTES,
  METHODS_ROUTES,
  PARTICIPANT_ROUTES,
  SEARCH_ROUTES,
  STUDY_ROUTES,
  STUDY_SCHEMA_ROUTES,
} from './routes/studies.ts'
import { ROUTES } from './routes/table.ts'
import { WEBHOOK_ROUTES } from './routes/webhooks.ts'
import { PARTICIPANT_WRITES, STUDY_WRITES } from './routes/writes.ts'
import { analysesRoutes } from './studies/analyses-routes.ts'
import { analysisRoutes } from './studies/analysis-routes.ts'
import { chartRoutes } from './studies/chart-routes.ts'
import { historyRoutes } from './studies/history-routes.ts'
import { imageRoutes } from './studies/image-routes.ts'
import { linkRoutes } from './studies/link-routes.ts'
import { methodsRoutes } from './studies/methods-routes.ts'
import { participantRoutes } from './studies/participant-routes.ts'
import { participantWrites } from './studies/participant-writes.ts'
import { searchRoutes } from './studies/search-routes.ts'
import { sendingComputed } from './studies/send-computed.ts'
import { studyRoutes } from './studies/study-routes.ts'
import { studyWrites } from './studies/study-writes.ts'
import { importRoutes, readableImport } from './uploads/import-routes.ts'
import { uploadRoutes } from './uploads/upload-routes.ts'

/** Documented paths of the API, which an answer to a misspelt one may name. */
const API_PATHS = Object.values(ROUTES).flatMap(({ path, summary }) => (summary ? [`/api2${path}`] : []))

/** Parts from which the app is built. */
export type ServerParts = Omit<Home, 'close'> & {
  config: Config
  version: string
  /** Command with which the operator runs this program; advice for operators begins with it. */
  program: string
  queue: JobQueue
  pool: EnginePool
  tokens: Tokens
  log: Logger
}

/**
 * Creates the app with all of its routes.
 *
 * @param live studies that grow
 * @param stopping aborts when the server stops: delayed answers and event streams then end
 */
export function createApp(parts: ServerParts, audit: AuditLog, live: LiveStudies, stopping: AbortSignal): Express {
  const { config, jobs, queue, pool, tokens, studies, log } = parts
  const admitted = admitting(tokens, studies)
  const failures = countFailures()
  const sessions = openSessions(config.dataDir)
  const syncLine = openSyncLine({
    concurrency: config.syncConcurrency,
    maxBytes: config.syncMaxBytes,
    maxSamples: config.syncMaxSamples,
    pool,
  })
  const queued = openQueued({ config, jobs, queue, log, stopping })
  const { dataDir, diskFloorMib } = config
  const sockets = countSockets()
  const metrics = createMetrics({ ...parts, ...config, syncLine, sockets: sockets.open })
  const health = createHealth({ queue, jobs, dataDir, diskFloorMib, stopping })

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', false)
  app.set('trust proxy', trustedProxy(config.trustProxy))
  setPublicOrigin(app, config.publicUrl)

  app.use(sockets.count, logRequests(log, audit), metrics.count, secureHeaders(config))
  app.use(refuseAmbiguous, health.open)
  app.use(requireHost, requireHttps(config), refuseBodies, boundQuery, closeWhen(stopping))
  const limit = limitRequests(config.requestsPerMinute)
  app.use('/docs', limit)
  app.use('/docs/problems', problemPages(parts.program))
  app.use(docsRoutes())
  app.use('/clients', limit, clientRoutes(parts.program))

  app.use('/ops', letOperatorsIn(sessions, admitted, requireOperator(admitted, failures)))
  addPage(app, '/ops/health', health.detail)
  addPage(app, '/ops/metrics', metrics.serve)
  app.use(BOARD_PATH, boardRoutes(queue))

  const shared = { admitted, syncLine, queued, live, audit, stopping, sessions, failures, limit }
  app.use('/api2', apiRoutes({ ...parts, ...shared }))

  if (config.oidc !== null) {
    const provider = openProvider(config.oidc)
    app.use(providerRoutes({ config: config.oidc, provider, sessions, tokens, audit, limit, log }))
  }
  app.use(dashboardRoutes())
  app.use(answerNotFound(API_PATHS), answerErrors(log))
  return app
}

/** State that routes share, in addition to the parts of the process. */
type ApiParts = ServerParts & {
  admitted: FindTokens
  syncLine: SyncLine
  queued: Queued
  live: LiveStudies
  audit: AuditLog
  stopping: AbortSignal
  sessions: Sessions
  failures: Failures
  limit: RequestHandler
}

/** Mounts all routes below `/api2`. */
function apiRoutes(parts: ApiParts): Router {
  const { config, studies, jobs, queue, pool, tokens, log, place, records, objects } = parts
  const { admitted, syncLine, queued, live, audit, stopping, sessions, failures, limit } = parts
  const { dataDir } = config
  const uploads = openUploads(dataDir, objects)
  const room = openBodyRoom(config.bodiesMaxMib * 2 ** 20)
  const rateLimiter = openRateLimiter(DESCRIPTIONS)
  const writeParts = {
    ...{ config, studies, place, records, uploads, live, room, rateLimiter, audit, tokens, log },
    usages: openUsages(dataDir),
  }
  const send = sendingComputed(pool)
  const issuer = config.oidc?.issuer ?? null
  const sessionParts = {
    ...{ sessions, tokens: admitted, audit, failures, limit },
    ...{ version: parts.version, program: parts.program },
  }
  const bound = [
    ...exportRoutes({ config, jobs, syncLine, queued, queue }),
    ...bind(JOB_ROUTES, jobRoutes({ config, jobs, queue, audit, log, stopping })),
    ...bind(STUDY_ROUTES, studyRoutes(studies)),
    ...bind(SEARCH_ROUTES, searchRoutes(studies)),
    ...bind(METHODS_ROUTES, methodsRoutes({ config, send })),
    ...bind(STUDY_SCHEMA_ROUTES, studySchemaRoutes(config.formulaGuard)),
    ...bind(IMAGE_ROUTES, imageRoutes()),
    ...bind(PARTICIPANT_ROUTES, participantRoutes()),
    ...bind(HISTORY_ROUTES, historyRoutes(parts)),
    ...chartRoutes({ config, send, room, rateLimiter, live }),
    ...bind(ANALYSIS_ROUTES, analysisRoutes({ config, send })),
    ...bind(ANALYSES_ROUTES, analysesRoutes(writeParts)),
    ...bind(STUDY_WRITES, studyWrites(writeParts)),
    ...bind(PARTICIPANT_WRITES, participantWrites(writeParts)),
    ...bind(LINK_ROUTES, linkRoutes({ tokens, audit })),
    ...bind(SHARED_ROUTES, sharedRoutes({ tokens: admitted, failures })),
    ...bind(UPLOAD_ROUTES, uploadRoutes({ config, records, uploads })),
    ...bind(IMPORT_ROUTES, importRoutes({ config, records, uploads, queue })),
    ...bind(WEBHOOK_ROUTES, webhookRoutes({ config, records, audit })),
    ...bind(OPERATION_ROUTES, operationsRoutes(parts)),
    ...bind(CATALOG_ROUTES, catalogRoutes(config.formulaGuard)),
    ...bind(SESSION_ROUTES, sessionRoutes({ ...sessionParts, issuer })),
  ]
  // One router for the prefix: each router that is mounted there cuts, parses and joins the path again.
  return mountRoutes(bound, {
    ...{ studies, tokens: admitted, sessions, failures, limit, collectOrigins: config.collectOrigins },
    finds: {
      exportName: findNamedExport,
      jobId: (req, res) => readableJob(jobs, studies, req, res),
      importId: (req, res) => readableImport(records, req, res),
      webhookId: (req) => findWebhook(records, req),
    },
  })
}

/**
 * Rate at which the descriptions and AOIs of one token are validated; 100,000 points take some hundredths of a second
 * of a core.
 */
const DESCRIPTIONS = { bytesPerMs: 1024, smallMaxBytes: 64 * 1024 }

/**
 * Returns the handler that sets security headers: pages may load from this server and nowhere else. Requests are not
 * upgraded to HTTPS, which loopback does not have.
 */
function secureHeaders({ tlsCertFile, trustProxy }: Config): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: tlsCertFile !== '' || trustProxy !== '',
  })
}

const VERSIONS = ['1.0', '1.1']
const HOST = /^[\w.~%!$&'()*+;=:[\]-]+$/

/**
 * Refuses requests that a proxy might parse differently: other versions of HTTP, more than one Host header or none that
 * is a host, and chunks where HTTP/1.0 has none.
 */
const refuseAmbiguous: RequestHandler = (req, _res, next) => {
  if (!VERSIONS.includes(req.httpVersion))
    throw new ProblemError('bad_request', { detail: `HTTP/${req.httpVersion} is not supported; use HTTP/1.1.` })
  const hosts = req.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ProblemError('bad_request', { detail: 'The request has more than one Host header.' })
  if (req.headers.host !== undefined && !HOST.test(req.headers.host))
    throw new ProblemError('bad_request', { detail: 'The Host header must be a host and perhaps a port.' })
  if (req.httpVersion === '1.0' && req.headers['transfer-encoding'] !== undefined)
    throw new ProblemError('bad_request', {
      detail: 'HTTP/1.0 has no Transfer-Encoding; use HTTP/1.1.',
      headers: { Connection: 'close' },
    })
  next()
}

const requireHost: RequestHandler = (req, _res, next) => {
  if (req.httpVersion !== '1.0' && req.headers.host === undefined) throw new ProblemError('bad_request')
  next()
}

/** Longest query string, in characters: all parameters of an export with a long, escaped filter, and some more. */
const QUERY_MAX_CHARACTERS = 8192

/** Refuses long query strings before anything parses them. */
const boundQuery: RequestHandler = (req, _res, next) => {
  const start = req.url.indexOf('?')
  if (start >= 0 && req.url.length - start > QUERY_MAX_CHARACTERS) throw new ProblemError('query_too_long')
  next()
}

function closeWhen(stopping: AbortSignal): RequestHandler {
  return (_req, res, next) => {
    if (stopping.aborted) res.setHeader('Connection', 'close')
    next()
  }
}
