import { namesIn } from '../store/optional-files.ts'
import type { Job } from './job.ts'
import { isJobId } from './job-paths.ts'

/** Jobs that are read side by side when it is the turn of all: fewer than libuv's threads, so that no request waits for them. */
const AT_ONCE = 12

type Reader = { root: string; look: (id: string) => Promise<Job | null> }

/** Yields every job, in no order. */
export async function* everyJob({ root, look }: Reader): AsyncGenerator<Job> {
  const ids = (await namesIn(root)).filter(isJobId)
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const jobs = await Promise.all(ids.slice(i, i + AT_ONCE).map(look))
    yield* jobs.filter((job) => job !== null)
  }
}

/** Lists jobs, newest first by `createdAt`, then by id descending; those beyond `after`, the last one seen, if given. */
export async function listJobs(jobs: Reader, after?: { createdAt: string; id: string }): Promise<Job[]> {
  const listed: Job[] = []
  for await (const job of everyJob(jobs)) if (!after || isNewer(after, job)) listed.push(job)
  return listed.sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

function isNewer(a: { createdAt: string; id: string }, b: { createdAt: string; id: string }): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}
