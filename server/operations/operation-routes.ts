import { type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import { readLastHour } from '../../engine/jobs/last-hour.ts'
import type { Config } from '../../engine/model/settings.ts'
import { may, tokenOf } from '../access/authorize.ts'
import type { SyncLine } from '../exports/sync.ts'
import { freeMib } from '../http/health.ts'
import { onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import type { LastHour, Operations } from '../schemas/operations.ts'
import { type JobParts, operatorJobs } from './operator-jobs.ts'
import { queueControls, queueState } from './queue-controls.ts'

type Parts = JobParts & { config: Config; syncLine: SyncLine; version: string }

/**
 * Returns the routes of operators: how everything is, jobs with who asked for them, the queue. They exist for `ops`
 * tokens alone.
 */
export function operationsRoutes(parts: Parts): Router {
  const router = Router({ caseSensitive: true })
  const get = (path: string, answer: RequestHandler) => router.route(path).get(answer).all(onlyMethods('GET', 'HEAD'))
  router.use('/operations', requireOperatorRole)
  get('/operations', async (req, res) => {
    refuseUnknown(queryOf(req.url), [])
    res.json(await stateOf(parts))
  })
  get('/operations/last-hour', async (req, res) => {
    refuseUnknown(queryOf(req.url), [])
    const token = tokenOf(res)
    const body: z.infer<typeof LastHour> = await readLastHour(parts.jobs, new Date(), ({ plan }) =>
      may('read', token, plan.studyId),
    )
    res.json(body)
  })
  router.use(operatorJobs(parts), queueControls(parts))
  return router
}

const requireOperatorRole: RequestHandler = (_req, res, next) => {
  if (tokenOf(res).role !== 'ops') throw new ProblemError('not_found')
  res.setHeader('Cache-Control', 'no-store')
  next()
}

async function stateOf({ config, queue, pool, syncLine, version }: Parts): Promise<z.infer<typeof Operations>> {
  const [state, diskFreeMib] = await Promise.all([queueState(config, queue), freeMib(config.dataDir).catch(() => null)])
  const isEnough = diskFreeMib !== null && diskFreeMib >= config.diskFloorMib
  return {
    version,
    queue: state,
    workers: { connected: state.answers ? await queue.workers() : null, concurrencyEach: config.workerConcurrency },
    engine: { threads: pool.threads, ...pool.load() },
    waitingClients: { computing: syncLine.running(), inLine: syncLine.waiting(), heldBytes: syncLine.heldBytes() },
    disk: { freeMib: diskFreeMib, floorMib: config.diskFloorMib, isEnough, exportsMaxGib: config.exportsMaxGib },
  }
}
