import type { Job } from './record/job.ts'
import type { FoundJob } from './record/read-job.ts'

/**
 * Number of jobs that are read in parallel for a list: fewer than libuv's threads, so that no request waits for them.
 */
const AT_ONCE = 12

/** Finds every job. */
export type Finder = { every: () => AsyncGenerator<FoundJob & { id: string }> }

/** A damaged job, with a description of the damage. */
export type DamagedJob = { id: string; damage: string }

/** Yields every job, in no order. */
export async function* everyJob(jobs: Finder): AsyncGenerator<Job> {
  for await (const { job } of jobs.every()) if (job !== null) yield job
}

/**
 * Lists jobs, newest first by `createdAt`, then by id descending; those beyond `after`, the last one seen, if given.
 */
export async function listJobs(jobs: Finder, after?: { createdAt: string; id: string }): Promise<Job[]> {
  const listed: Job[] = []
  for await (const job of everyJob(jobs)) if (!after || isNewer(after, job)) listed.push(job)
  return listed.sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

/** Lists all jobs, oldest first, and the damaged ones, in one pass. */
export async function listAll(jobs: Finder): Promise<{ jobs: Job[]; damaged: DamagedJob[] }> {
  const listed: Job[] = []
  const damaged: DamagedJob[] = []
  for await (const { id, job, damage } of jobs.every()) {
    if (job !== null) listed.push(job)
    if (damage !== null) damaged.push({ id, damage })
  }
  return { jobs: listed.sort((a, b) => (isNewer(a, b) ? 1 : -1)), damaged }
}

/** Lists jobs that lost their plan or their file to damage on disk and were not requested again since. */
export async function listDamaged(jobs: Finder): Promise<DamagedJob[]> {
  const damaged: DamagedJob[] = []
  for await (const { id, damage } of jobs.every()) if (damage !== null) damaged.push({ id, damage })
  return damaged
}

/** Yields every job by reading each. */
export async function* findEach(
  listIds: () => Promise<string[]>,
  find: (id: string) => Promise<FoundJob>,
): AsyncGenerator<FoundJob & { id: string }> {
  const ids = await listIds()
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    yield* await Promise.all(ids.slice(i, i + AT_ONCE).map(async (id) => ({ id, ...(await find(id)) })))
  }
}

function isNewer(a: { createdAt: string; id: string }, b: { createdAt: string; id: string }): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

/** Returns the snapshots that jobs without an end are on. */
export async function snapshotsOfOpen(jobs: Finder): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { end, plan } of everyJob(jobs)) if (end === null) ids.add(plan.snapshotId)
  return ids
}
