import type { Job } from '../../engine/jobs/job.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { UUID } from '../../engine/model/parameters.ts'
import { decodeCursor, encodeCursor, readLimit, refuseUnknown, single } from '../http/query.ts'
import { JobState, type JobView } from '../schemas/job.ts'
import type { ViewJob } from './job-view.ts'

const STATES = JobState.options

/** A request for a list of jobs. */
type Asked = { limit: number; after: string[] | undefined; state: string | undefined; study: string | undefined }

/** Makes a page of jobs on studies that the token may read. One job more than fits is looked for, to know if there is another page. */
export async function pageOfJobs(
  jobs: Jobs,
  viewOf: ViewJob,
  studies: string[] | 'all',
  query: Map<string, string[]>,
): Promise<{ jobs: JobView[]; nextCursor: string | null }> {
  const { limit, after, state, study } = readAsked(query)
  const isMeant = ({ plan, end }: Job) =>
    (studies === 'all' || studies.includes(plan.studyId)) &&
    (study === undefined || plan.studyId === study.toLowerCase()) &&
    (state === undefined || end === null || end.state === state)
  const page: JobView[] = []
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

/** Parses the query of a list of jobs. @throws ServiceError invalid_param */
function readAsked(query: Map<string, string[]>): Asked {
  const faults: Fault[] = []
  const limit = readLimit(query, faults)
  const after = decodeCursor(query, 2, faults)
  const state = single(query, 'state', faults)
  const study = single(query, 'study', faults)
  if (state !== undefined && !STATES.some((name) => name === state))
    faults.push({ parameter: 'state', rule: `must be one of ${STATES.join(', ')}`, value: state })
  if (study !== undefined && !UUID.test(study))
    faults.push({ parameter: 'study', rule: 'must be a UUID', value: study })
  refuseUnknown(query, ['state', 'study', 'limit', 'cursor'], faults)
  return { limit, after, state, study }
}
