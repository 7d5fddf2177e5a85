import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../model/errors.ts'
import { defaultParameters } from '../../model/parameters.ts'
import { jobId } from '../../model/plan.ts'
import { fileAgeMs } from '../../storage/files/file-age.ts'
import { TIME_GRAIN_MS } from '../../storage/files/file-state.ts'
import { seal } from '../../storage/files/sealed-json.ts'
import { checkStoredNames } from '../../storage/files/stored-names.ts'
import type { Job } from './job.ts'
import { endPath, isJobId, type JobPlace, jobPath, planPath } from './job-paths.ts'
import type { JobEnd } from './state.ts'

/**
 * Content of plan.json: the plan of a job, its current attempt, and the time at which the previous attempt was
 * requested; null without one.
 */
type PlanFile = Omit<Job, 'id' | 'end'> & { createdBefore: string | null }

/** A job as found on disk. `job` is null if it does not exist or its plan is damaged; `damage` describes the damage. */
export type FoundJob = { job: Job | null; damage: string | null }

/** Number of jobs that a process caches. */
const SEEN_MAX = 20_000

/**
 * Reads a job. Damage is not an error: a job with a damaged plan counts as unknown, one with a damaged end as expired.
 * The next request computes either again.
 */
export async function findJob(jobs: JobPlace, id: string): Promise<FoundJob> {
  if (!isJobId(id)) return { job: null, damage: null }
  try {
    const file = await readPlanFile(jobs, id)
    if (file === null) return { job: null, damage: null }
    const { createdBefore: _, ...rest } = file
    const end = await findEnd(jobs, id, file.attempt)
    // What an earlier version did not know of, it did by default.
    const parameters = { ...defaultParameters(), ...rest.parameters }
    return {
      job: { id, ...rest, parameters, end },
      damage: end?.state === 'expired' && end.error?.code === 'corrupt' ? end.error.message : null,
    }
  } catch (error) {
    return { job: null, damage: damageIn(error) }
  }
}

/**
 * Reads plan.json of a job; null if it does not exist.
 *
 * @param path where it lies, if its job's directory has been moved.
 * @throws ServiceError corrupt, also for the plan of another job
 */
export async function readPlanFile({ storage }: JobPlace, id: string, path = planPath(id)): Promise<PlanFile | null> {
  const file = await storage.readSealed<PlanFile>(path, `plan of ${id}`)
  if (file && jobId(file.plan) !== id) throw new ServiceError('corrupt', 'plan.json is the plan of another job')
  // It is part of the names of files.
  if (file && !Number.isSafeInteger(file.attempt)) throw new ServiceError('corrupt', 'plan.json names no attempt')
  return file
}

export function planText(id: string, file: PlanFile): string {
  return seal(file, `plan of ${id}`)
}

export function endText(id: string, attempt: number, end: JobEnd): string {
  return seal(end, `end of ${id} ${attempt}`)
}

/** Reads the end of an attempt; null while there is none. @throws ServiceError corrupt */
export async function readEndFile({ storage }: JobPlace, id: string, attempt: number): Promise<JobEnd | null> {
  const end = await storage.readSealed<JobEnd>(endPath(id, attempt), `end of ${id} ${attempt}`)
  const listed = [...(end?.file ? [{ name: null, ...end.file }] : []), ...(end?.parts ?? [])]
  const files = listed.flatMap(({ name, plain, gzip }) =>
    Object.entries({ plain, gzip }).flatMap(([kind, file]) => (file ? [[name ?? kind, file.sha256] as const] : [])),
  )
  checkStoredNames('the end of the job', files)
  return end
}

/** Reads the end of an attempt, expired if it is damaged; null while there is none. */
export async function findEnd(jobs: JobPlace, id: string, attempt: number): Promise<JobEnd | null> {
  try {
    return await readEndFile(jobs, id, attempt)
  } catch (error) {
    const goneMs = await jobs.storage.changedAt(endPath(id, attempt))
    // A disk that failed for a moment is no damage of an end that is not there: the job would be over, for ever.
    if (goneMs === null) return null
    const goneAt = new Date(goneMs).toISOString()
    return damagedEnd({ startedAt: null, finishedAt: goneAt, file: null }, damageIn(error), goneAt)
  }
}

/** Returns the end of a job whose end or file is damaged: expired. */
export function damagedEnd(
  end: Pick<JobEnd, 'startedAt' | 'finishedAt' | 'file' | 'parts'>,
  damage: string,
  goneAt: string,
): JobEnd {
  const { startedAt, finishedAt, file, parts } = end
  const error = { code: 'corrupt', message: damage } as const
  return { state: 'expired', startedAt, finishedAt, expiresAt: goneAt, file, parts, error }
}

/** Returns the damage that an error reports. @throws the error when it tells of none */
function damageIn(error: unknown): string {
  if (error instanceof ServiceError && error.code === 'corrupt') return error.message
  throw error
}

type Seen = { changedMs: number; found: FoundJob }

/** Returns a reader with an LRU cache for frequent reads: files that have not changed on disk are read once. */
export function cachedFinder(jobs: JobPlace): (id: string) => Promise<FoundJob> {
  // By `max` it would take memory for as many at once, for each who opens the jobs.
  const seen = new LRUCache<string, Seen>({ maxSize: SEEN_MAX, sizeCalculation: () => 1 })
  return async (id) => {
    const changedMs = isJobId(id) ? await jobs.storage.changedAt(jobPath(id, '')) : null
    if (changedMs === null) return { job: null, damage: null }
    const known = seen.get(id)
    if (known?.changedMs === changedMs) return known.found
    seen.delete(id)
    const isSettled = fileAgeMs(changedMs) > TIME_GRAIN_MS
    const found = await findJob(jobs, id)
    // What has only just changed may change again unseen, and a file may be mended without its directory's telling.
    if (found.damage === null && isSettled) seen.set(id, { changedMs, found })
    return found
  }
}
