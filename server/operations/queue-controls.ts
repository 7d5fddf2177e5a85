import { type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { cancelWaiting } from '../../engine/jobs/withdraw-job.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { JobQueue } from '../../worker/queue.ts'
import { tokenOf } from '../access/authorize.ts'
import { onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import { noteDeed } from '../http/request-log.ts'
import type { Drained, QueueState } from '../schemas/operations.ts'

type Parts = { config: Config; jobs: Jobs; queue: JobQueue; audit: AuditLog }

/** Returns the routes that pause, resume and drain the queue, for operators of all studies. */
export function queueControls({ config, jobs, queue, audit }: Parts): Router {
  const router = Router({ caseSensitive: true })
  const post = (path: string, act: (res: Response) => Promise<object>) =>
    router
      .route(`/operations/queue/${path}`)
      .post(requireAllStudies, async (req, res) => {
        refuseUnknown(queryOf(req.url), [])
        res.json(await act(res))
      })
      .all(onlyMethods('POST'))
  const pause = async (res: Response, isToPause: boolean) => {
    await queue.pause(isToPause)
    noteDeed(audit, res, { event: isToPause ? 'queue paused' : 'queue resumed' })
    return queueState(config, queue)
  }
  post('pause', (res) => pause(res, true))
  post('resume', (res) => pause(res, false))
  post('drain', async (res) => {
    let canceled = 0
    const isActive = async ({ id, attempt }: Job) => (await queue.state(id, attempt)) === 'active'
    try {
      await cancelWaiting(jobs, isActive, () => canceled++)
    } finally {
      noteDeed(audit, res, { event: 'queue drained', jobs: canceled })
    }
    // Those that were canceled need no worker to find that out.
    await queue.drain()
    return { canceled } satisfies z.infer<typeof Drained>
  })
  return router
}

/** Looks at the queue; one that is away is no error. */
export async function queueState(
  { queueUrl }: Pick<Config, 'queueUrl'>,
  queue: JobQueue,
): Promise<z.infer<typeof QueueState>> {
  const [jobs, isPaused] = await Promise.all([queue.counts(), queue.isPaused()]).catch(() => [null, null])
  return { kind: kindOf(queueUrl), answers: jobs !== null, isPaused, jobs }
}

function kindOf(queueUrl: string): 'embedded' | 'redis' | 'postgres' {
  if (queueUrl === '') return 'embedded'
  return queueUrl.startsWith('redis') ? 'redis' : 'postgres'
}

const ALL_STUDIES = 'The queue is for all studies: changing it needs a token of the role `ops` for all of them.'

const requireAllStudies: RequestHandler = (_req, res, next) => {
  if (tokenOf(res).studies !== 'all') throw new ProblemError('forbidden', { detail: ALL_STUDIES })
  next()
}
