import { listJobs } from '../../engine/jobs/list-jobs.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { encodeCursor } from '../http/query.ts'
import type { CHOSEN_JOBS } from '../routes/jobs.ts'
import type { ParameterValues } from '../routes/parameter.ts'
import type { JobView } from '../schemas/job.ts'

/**
 * Returns a page of jobs on studies that the token may read. It looks for one job more than fits, to know whether there
 * is another page.
 */
export async function pageOfJobs<View extends JobView>(
  { jobs, queue }: { jobs: Jobs; queue: JobQueue },
  viewOf: (job: Job) => Promise<View>,
  studies: string[] | 'all',
  { limit, cursor: after, state, study }: ParameterValues<typeof CHOSEN_JOBS>,
): Promise<{ jobs: View[]; nextCursor: string | null }> {
  const isOpenMeant = await openMeant(queue, state)
  const isMeant = (job: Job) =>
    (studies === 'all' || studies.includes(job.plan.studyId)) &&
    (study === undefined || job.plan.studyId === study.toLowerCase()) &&
    (job.end === null ? isOpenMeant(job) : state === undefined || job.end.state === state)
  const page: View[] = []
  for (const job of await listJobs(jobs, after && { createdAt: after[0], id: after[1] })) {
    if (!isMeant(job)) continue
    const seen = await viewOf(job)
    if (state !== undefined && seen.state !== state) continue
    if (page.length === limit) {
      const { createdAt, id } = page[limit - 1]
      return { jobs: page, nextCursor: encodeCursor([createdAt, id]) }
    }
    page.push(seen)
  }
  return { jobs: page, nextCursor: null }
}

/**
 * Returns a predicate that is false only if a job without an end cannot be in a state. It asks the queue once for
 * thousands of waiting jobs, not once for each. Jobs that change meanwhile, and all jobs while the queue is
 * unavailable, must be read one by one.
 */
async function openMeant(queue: JobQueue, state: string | undefined): Promise<(job: Job) => boolean> {
  if (state === undefined) return () => true
  if (state !== 'queued' && state !== 'running') return () => false
  const stateOf = await queue.lookUp().catch(() => null)
  const other = state === 'queued' ? 'active' : 'waiting'
  return ({ id, attempt }) => stateOf?.(id, attempt) !== other
}
