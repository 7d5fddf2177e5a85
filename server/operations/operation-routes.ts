import { type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import type { Config } from '../../engine/model/settings.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import type { JobQueue } from '../../worker/queue.ts'
import { tokenOf } from '../access/authorize.ts'
import type { SyncLine } from '../exports/sync.ts'
import { freeMib } from '../http/health.ts'
import { onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import type { Operations } from '../schemas/dashboard.ts'

/**
 * Returns the route of what an operator needs first: the state of queue, workers, threads and disk. It exists for `ops`
 * tokens alone.
 */
export function operationsRoutes(parts: {
  config: Config
  queue: JobQueue
  pool: EnginePool
  syncLine: SyncLine
  version: string
}): Router {
  const { config, queue, pool, syncLine, version } = parts
  const router = Router({ caseSensitive: true })
  const answer: RequestHandler = async (req, res) => {
    if (tokenOf(res).role !== 'ops') throw new ProblemError('not_found')
    refuseUnknown(queryOf(req.url), [])
    const jobs = await queue.counts().catch(() => null)
    const answers = jobs !== null
    const [workers, diskFreeMib] = await Promise.all([
      answers ? queue.workers() : null,
      freeMib(config.dataDir).catch(() => null),
    ])
    const isEnough = diskFreeMib !== null && diskFreeMib >= config.diskFloorMib
    const body: z.infer<typeof Operations> = {
      version,
      queue: { kind: kindOf(config.queueUrl), answers, jobs },
      workers: { connected: workers, concurrencyEach: config.workerConcurrency },
      engine: { threads: pool.threads, ...pool.load() },
      waitingClients: { computing: syncLine.running(), inLine: syncLine.waiting(), heldBytes: syncLine.heldBytes() },
      disk: { freeMib: diskFreeMib, floorMib: config.diskFloorMib, isEnough, exportsMaxGib: config.exportsMaxGib },
    }
    res.setHeader('Cache-Control', 'no-store')
    res.json(body)
  }
  router.route('/operations').get(answer).all(onlyMethods('GET', 'HEAD'))
  return router
}

function kindOf(queueUrl: string): 'embedded' | 'redis' | 'postgres' {
  if (queueUrl === '') return 'embedded'
  return queueUrl.startsWith('redis') ? 'redis' : 'postgres'
}
