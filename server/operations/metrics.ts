import type { Request, RequestHandler, Response } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import type { JobQueue } from '../../worker/queue.ts'
import { freeMib, MIB } from './health.ts'
import { measureJobs } from './job-metrics.ts'

export type Metrics = { count: RequestHandler; serve: (req: Request, res: Response) => Promise<void> }

/** What operators see at /ops/metrics, in a registry of its own, so that two servers in one process do not meet. */
export function createMetrics(parts: {
  queue: JobQueue
  jobs: Jobs
  pool: EnginePool
  dataDir: string
  diskFloorMib: number
  sockets: () => number
  syncLine: { running: () => number; waiting: () => number; heldBytes: () => number }
}): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const labelNames = ['method', 'route', 'status']
  const requests = new Counter({
    name: 'gazette_http_requests_total',
    help: 'Answers, by route and status',
    labelNames,
    registers: [register],
  })
  const durations = new Histogram({
    name: 'gazette_http_request_duration_seconds',
    help: 'Time to the end of an answer, holds included',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60],
    registers: [register],
  })
  gauge('gazette_engine_threads', 'Threads that compute exports', () => parts.pool.threads)
  gauge('gazette_engine_shards_running', 'Shards being computed', () => parts.pool.load().running)
  gauge('gazette_engine_shards_waiting', 'Shards waiting for a thread', () => parts.pool.load().waiting)
  gauge('gazette_sync_running', 'Exports being computed for waiting clients', parts.syncLine.running)
  gauge('gazette_sync_waiting', 'Exports waiting in line to be computed for clients', parts.syncLine.waiting)
  gauge(
    'gazette_sync_held_bytes',
    'Bytes of computed answers that clients have not taken yet',
    parts.syncLine.heldBytes,
  )
  new Gauge({
    name: 'gazette_jobs',
    help: 'Jobs in the queue, by state; absent while the queue is away',
    labelNames: ['state'],
    registers: [register],
    async collect() {
      this.reset()
      for (const [state, n] of Object.entries(await parts.queue.counts().catch(() => ({})))) this.set({ state }, n)
    },
  })
  gauge('gazette_disk_free_bytes', 'Free space where the data directory lies', () =>
    freeMib(parts.dataDir).then((mib) => mib * MIB),
  )
  gauge(
    'gazette_disk_floor_bytes',
    'Less free space than this, and new jobs are refused',
    () => parts.diskFloorMib * MIB,
  )
  gauge('gazette_queue_up', 'Whether the queue answers', () => parts.queue.ping().then(Number))
  gauge('gazette_http_sockets', 'Connections that are open', parts.sockets)
  measureJobs(parts.jobs, parts.queue, register)

  function gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [register],
      async collect() {
        this.set(await read())
      },
    })
  }

  return {
    count: (req, res, next) => {
      const stop = durations.startTimer()
      res.once('close', () => {
        const route = routeOf(req)
        requests.inc({ method: methodOf(req), route, status: String(res.statusCode) })
        stop({ route })
      })
      next()
    },
    serve: async (_req, res) => {
      const text = await register.metrics()
      res.setHeader('Content-Type', register.contentType)
      res.setHeader('Cache-Control', 'no-store')
      res.end(text)
    },
  }
}

/** The pattern that matched, never the path itself: labels must stay few and hold no ids. */
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
