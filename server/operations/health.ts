import { constants } from 'node:fs'
import { access, utimes } from 'node:fs/promises'
import { type RequestHandler, type Response, Router } from 'express'
import { type DamagedJob, listDamaged } from '../../engine/jobs/list-jobs.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import { addPage } from '../http/add-path.ts'
import { freeMib, isBelowFloor } from '../http/free-space.ts'
import type { MeasuredParts } from './metrics.ts'

/** Parts that the service depends on. */
type PartStates = {
  queue: 'ok' | 'away'
  /** `none`: no worker takes jobs. `ok` also if the queue cannot count its workers or is unavailable. */
  workers: 'ok' | 'none'
  disk: 'ok' | 'below floor' | 'unknown'
  dataDirectory: 'ok' | 'not writable'
  server: 'ok' | 'stopping'
}

type Health = {
  /**
   * `/healthz`: the process answers. `/readyz`: it can do its work. Both are open to everybody, so they give no
   * details.
   */
  open: Router
  /** State for operators: the parts that `/readyz` depends on, and the jobs that are damaged on disk. */
  detail: RequestHandler
}

export function createHealth(
  options: Pick<MeasuredParts, 'queue' | 'jobs' | 'dataDir' | 'diskFloorMib'> & { stopping: AbortSignal },
): Health {
  const open = Router({ caseSensitive: true })
  // Cached, so that frequent requests cause no more work than rare ones.
  const look = shareRunning(() => partStates(options))
  const areWell = (parts: PartStates) => Object.values(parts).every((state) => state === 'ok')
  const get = (path: string, isWell: () => Promise<boolean>) =>
    addPage(open, path, async (_req, res) => answer(res, await isWell()))
  get('/healthz', async () => true)
  get('/readyz', async () => areWell(await look()))
  const detail: RequestHandler = async (_req, res) => {
    const { queue, jobs } = options
    const [parts, workers, damagedJobs] = await Promise.all([look(), queue.workers(), listDamaged(jobs)])
    answer(res, areWell(parts), { parts, workers, damagedJobs })
  }
  return { open, detail }
}

/** `workers`: number of workers that take jobs, null if the queue cannot tell. */
type Detail = { parts: PartStates; workers: number | null; damagedJobs: DamagedJob[] }

function answer(res: Response, well: boolean, detail?: Detail): void {
  res.setHeader('Cache-Control', 'no-store')
  res.status(well ? 200 : 503).json({ status: well ? 'ok' : 'unavailable', ...detail })
}

async function partStates(given: Omit<Parameters<typeof createHealth>[0], 'jobs'>): Promise<PartStates> {
  const { queue, dataDir, diskFloorMib, stopping } = given
  const [answers, workers, mayWrite, free] = await Promise.all([
    queue.ping(),
    queue.workers(),
    isWritable(dataDir),
    freeMib(dataDir).catch(() => null),
  ])
  return {
    queue: answers ? 'ok' : 'away',
    workers: workers === 0 ? 'none' : 'ok',
    disk: free === null ? 'unknown' : isBelowFloor(free, diskFloorMib) ? 'below floor' : 'ok',
    dataDirectory: mayWrite ? 'ok' : 'not writable',
    server: stopping.aborted ? 'stopping' : 'ok',
  }
}

/**
 * Returns whether files of a directory can be written. A disk that has become read-only after a fault may still grant
 * access, but changes no time.
 */
export async function isWritable(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.R_OK | constants.W_OK)
    const now = new Date()
    await utimes(directory, now, now)
    return true
  } catch (error) {
    // Only the owner may set times; others may write all the same.
    return isCode(error, 'EPERM')
  }
}

function shareRunning<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}
