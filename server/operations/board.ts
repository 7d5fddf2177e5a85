import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { ExpressAdapter } from '@bull-board/express'
import { type Express, type RequestHandler, Router } from 'express'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { methodNotAllowed } from '../http/add-path.ts'
import { ProblemError } from '../http/problems.ts'

export const BOARD_PATH = '/ops/queues'

/** Returns the routes of Bull Board over our queue, read-only and without content from other sites. */
export function boardRoutes(queue: JobQueue): Router {
  const adapter = new ExpressAdapter()
  adapter.setBasePath(BOARD_PATH)
  createBullBoard({
    queues: [adapt(queue)],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Gazette', hideDocsLink: true, showWorkers: false } },
  })
  // The library's own handler would send the text of the error.
  adapter.setErrorHandler(() => ({ status: 500, body: { error: 'Gazette could not ask the queue' } }))
  const board: Express = adapter.getRouter()
  board.disable('x-powered-by')
  const router = Router({ caseSensitive: true })
  router.use(onlyReads, stayOnSite)
  router.use('/api', failFast(queue))
  router.use(board, notThere)
  return router
}

/** Shows prioritized jobs as waiting: all jobs have a priority, since tokens are served in turn. */
function adapt({ bull }: JobQueue): BullMQAdapter {
  const adapter = new BullMQAdapter(bull, {
    readOnlyMode: true,
    // It lists all of them, with their errors and files.
    externalJobUrl: () => ({ displayText: 'Jobs on the dashboard', href: '/operations' }),
    displayName: 'Exports',
    description:
      'Jobs, parts of large ones, and imports. A job of a token that already has others waiting gets a larger priority number, and so a later turn',
  })
  // The ring shows a field of this name.
  adapter.setFormatter('progress', (progress) =>
    typeof progress?.percent === 'number' ? { progress: progress.percent, ...progress } : progress,
  )
  const getJobs = adapter.getJobs.bind(adapter)
  const getCounts = adapter.getJobCounts.bind(adapter)
  const shown = adapter.getJobStatuses().filter((status) => status !== 'prioritized' && status !== 'waiting-children')
  return Object.assign(adapter, {
    getJobStatuses: () => shown,
    getJobs: ((statuses, start, end) =>
      getJobs(
        [...statuses, ...(statuses.includes('waiting') ? ['prioritized' as const] : [])],
        start,
        end,
      )) as typeof getJobs,
    getJobCounts: async () => {
      const { prioritized = 0, ...counts } = await getCounts()
      return { ...counts, waiting: (counts.waiting ?? 0) + prioritized }
    },
  })
}

/** Adds a timeout: BullMQ would wait for an unavailable queue, and the page with it. */
function failFast(queue: JobQueue): RequestHandler {
  return async (_req, _res, next) => {
    if (!(await queue.ping())) throw new ProblemError('queue_away')
    next()
  }
}

const onlyReads: RequestHandler = (req, _res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') throw methodNotAllowed(req.method, 'GET, HEAD')
  next()
}

/**
 * Removes the tag of a font host from the page, so that the browser logs no error. The content security policy also
 * blocks anything that a new version adds.
 */
const stayOnSite: RequestHandler = (_req, res, next) => {
  res.setHeader(
    'Content-Security-Policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; worker-src 'self' blob:; form-action 'self'; frame-ancestors 'none'; base-uri 'self'",
  )
  const send = res.send.bind(res)
  res.send = (body) =>
    send(
      typeof body === 'string' && body.startsWith('<!DOCTYPE')
        ? body.replace(/<link\b[^>]*\bhref="(https?:)?\/\/[^>]*>/g, '')
        : body,
    )
  next()
}

const notThere: RequestHandler = () => {
  throw new ProblemError('not_found')
}
