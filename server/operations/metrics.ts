import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Request, RequestHandler, Response } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Tokens } from '../../engine/access/tokens.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { messageIds } from '../../engine/webhooks/message.ts'
import { listWebhooks } from '../../engine/webhooks/webhook.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { freeMib, MIB } from '../http/free-space.ts'
import { PROBLEMS } from '../http/problems.ts'
import { measureJobs } from './job-metrics.ts'

type Metrics = { count: RequestHandler; serve: (req: Request, res: Response) => Promise<void> }

export type MeasuredParts = {
  queue: JobQueue
  jobs: Jobs
  pool: EnginePool
  tokens: Tokens
  version: string
  tlsCertFile: string
  dataDir: string
  records: RecordsAt
  diskFloorMib: number
  sockets: () => number
  syncLine: { running: () => number; waiting: () => number; heldBytes: () => number }
}

/**
 * Creates the metrics of /ops/metrics, in a registry of their own, so that two servers in one process do not interfere.
 */
export function createMetrics(parts: MeasuredParts): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  measureProcess(parts, register)
  measureExpiry(parts, register)
  measureQueue(parts.queue, register)
  const lookAtJobs = measureJobs(parts.jobs, parts.queue, register)
  return {
    count: countAnswers(register),
    serve: async (_req, res) => {
      // A counter that is serialized before its source is read would lag by one scrape.
      await lookAtJobs()
      const text = await register.metrics()
      res.setHeader('Content-Type', register.contentType)
      res.setHeader('Cache-Control', 'no-store')
      res.end(text)
    },
  }
}

/** Adds a gauge that is read at each scrape, and absent while its value is null. */
function addGauge(
  registers: Registry[],
  name: string,
  help: string,
  read: () => number | null | Promise<number | null>,
): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      const value = await read()
      if (value === null) this.remove()
      else this.set(value)
    },
  })
}

function measureProcess(parts: MeasuredParts, register: Registry): void {
  const { pool, syncLine, dataDir, records, diskFloorMib, version, sockets } = parts
  const gauge = addGauge.bind(null, [register])
  gauge('gazette_engine_threads', 'Threads that compute exports', () => pool.threads)
  gauge('gazette_engine_shards_running', 'Shards being computed', () => pool.load().running)
  gauge('gazette_engine_shards_waiting', 'Shards waiting for a thread', () => pool.load().waiting)
  gauge('gazette_sync_running', 'Exports being computed for waiting clients', syncLine.running)
  gauge('gazette_sync_waiting', 'Exports waiting in line to be computed for clients', () => syncLine.waiting())
  gauge('gazette_sync_held_bytes', 'Bytes of computed answers that clients have not taken yet', syncLine.heldBytes)
  gauge(
    'gazette_disk_free_bytes',
    'Free space where the data directory lies',
    async () => (await freeMib(dataDir)) * MIB,
  )
  gauge('gazette_disk_floor_bytes', 'Less free space than this, and new jobs are refused', () => diskFloorMib * MIB)
  gauge('gazette_webhook_messages_waiting', 'Messages that no webhook has taken yet', () => waitingMessages(records))
  gauge('gazette_http_sockets', 'Connections that are open', sockets)
  new Gauge({
    name: 'gazette_build_info',
    help: 'Always 1; says which version runs, on which Node.js',
    labelNames: ['version', 'node'],
    registers: [register],
  }).set({ version, node: process.version }, 1)
}

function measureExpiry({ tokens, tlsCertFile }: MeasuredParts, register: Registry): void {
  const registers = [register]
  const help = 'Until the next token expires that has not yet; absent without one'
  addGauge(registers, 'gazette_token_expiry_seconds', help, async () => {
    const left = (await tokens.list()).map(({ expiresAt }) => secondsUntil(expiresAt ?? ''))
    const next = Math.min(...left.filter((seconds) => seconds > 0))
    return Number.isFinite(next) ? next : null
  })
  addGauge(registers, 'gazette_certificate_expiry_seconds', 'Until the certificate expires; absent without one', () =>
    tlsCertFile === ''
      ? null
      : readFile(tlsCertFile).then(
          (pem) => secondsUntil(new X509Certificate(pem).validTo),
          () => null,
        ),
  )
}

/** Counts the undelivered messages of enabled webhooks. */
async function waitingMessages(records: RecordsAt): Promise<number> {
  const webhooks = (await listWebhooks(records)).filter(({ disabled }) => disabled === null)
  const counts = await Promise.all(webhooks.map(async ({ id }) => (await messageIds(records, id)).length))
  return counts.reduce((sum, count) => sum + count, 0)
}

function secondsUntil(time: string): number {
  return (Date.parse(time) - Date.now()) / 1000
}

function measureQueue(queue: JobQueue, register: Registry): void {
  const registers = [register]
  addGauge(registers, 'gazette_queue_up', 'True if the queue answers', () => queue.ping().then(Number))
  addGauge(registers, 'gazette_queue_paused', 'Whether an operator has paused the queue; absent while it is away', () =>
    queue.isPaused().then(Number, () => null),
  )
  addGauge(registers, 'gazette_workers', 'Workers that take jobs; absent where the queue cannot tell', queue.workers)
  new Gauge({
    name: 'gazette_jobs',
    help: 'Jobs in the queue, by state; absent while the queue is away',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      for (const [state, n] of Object.entries(await queue.counts().catch(() => ({})))) this.set({ state }, n)
    },
  })
}

function countAnswers(register: Registry): RequestHandler {
  const registers = [register]
  const requests = new Counter({
    name: 'gazette_http_requests_total',
    help: 'Answers, by route and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'gazette_http_request_duration_seconds',
    help: 'Time to the end of an answer, holds included',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60],
    registers,
  })
  // A counter that starts at 1 has not increased, but the first problem of each kind should raise an alert.
  const problems = new Counter({
    name: 'gazette_http_problems_total',
    help: 'Answers that are problems, by status',
    labelNames: ['status'],
    registers,
  })
  for (const { status } of Object.values(PROBLEMS)) problems.inc({ status }, 0)
  return (req, res, next) => {
    const stop = durations.startTimer()
    res.once('close', () => {
      const route = routeOf(req)
      requests.inc({ method: methodOf(req), route, status: String(res.statusCode) })
      if (res.statusCode >= 400) problems.inc({ status: res.statusCode })
      stop({ route })
    })
    next()
  }
}

/** Returns the pattern that a path matched, never the path itself: labels must be few and hold no ids. */
function routeOf(req: Request): string {
  const route: unknown = req.route?.path
  return typeof route === 'string' ? req.baseUrl + route : 'none'
}

const METHODS = ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS']

function methodOf(req: Request): string {
  return METHODS.includes(req.method) ? req.method : 'other'
}

/** Counts the connections that have made a request and are still open. */
export function countSockets(): { count: RequestHandler; open: () => number } {
  const sockets = new Set<unknown>()
  return {
    count: ({ socket }, _res, next) => {
      if (!sockets.has(socket)) {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
      }
      next()
    },
    open: () => sockets.size,
  }
}
