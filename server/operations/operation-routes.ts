import type { z } from 'zod'
import { readLastHour } from '../../engine/jobs/last-hour.ts'
import type { Config } from '../../engine/model/settings.ts'
import { may } from '../access/authorize.ts'
import type { SyncLine } from '../exports/sync.ts'
import { freeMib, isBelowFloor } from '../http/free-space.ts'
import type { OPERATION_ROUTES } from '../routes/operations.ts'
import type { Answers } from '../routes/route.ts'
import type { Operations } from '../schemas/operations.ts'
import { type JobParts, operatorJobs } from './operator-jobs.ts'
import { queueControls, queueState } from './queue-controls.ts'

type Parts = JobParts & { config: Config; syncLine: SyncLine; version: string }

/** Returns the handlers for operators: state, jobs with the tokens that requested them, queue. */
export function operationsRoutes(parts: Parts): Answers<typeof OPERATION_ROUTES> {
  return {
    getOperations: () => stateOf(parts),
    getLastHour: ({ token }) => readLastHour(parts.jobs, new Date(), ({ plan }) => may('read', token, plan.studyId)),
    ...operatorJobs(parts),
    ...queueControls(parts),
  }
}

async function stateOf({ config, queue, pool, syncLine, version }: Parts): Promise<z.infer<typeof Operations>> {
  const [state, diskFreeMib] = await Promise.all([queueState(config, queue), freeMib(config.dataDir).catch(() => null)])
  const isEnough = diskFreeMib !== null && !isBelowFloor(diskFreeMib, config.diskFloorMib)
  return {
    version,
    queue: state,
    workers: { connected: state.answers ? await queue.workers() : null, concurrencyEach: config.workerConcurrency },
    engine: { threads: pool.threads, ...pool.load() },
    waitingClients: { computing: syncLine.running(), inLine: syncLine.waiting(), heldBytes: syncLine.heldBytes() },
    disk: { freeMib: diskFreeMib, floorMib: config.diskFloorMib, isEnough, exportsMaxGib: config.exportsMaxGib },
  }
}
