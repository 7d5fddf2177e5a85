import type { Response } from 'express'
import type { z } from 'zod'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { cancelWaiting } from '../../engine/jobs/withdraw-job.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { noteDeed } from '../http/request-log.ts'
import type { OPERATION_ROUTES } from '../routes/operations.ts'
import type { Answers } from '../routes/route.ts'
import type { QueueState } from '../schemas/operations.ts'

type Parts = { config: Config; jobs: Jobs; queue: JobQueue; audit: AuditLog }

type ControlAnswers = Pick<Answers<typeof OPERATION_ROUTES>, 'pauseQueue' | 'resumeQueue' | 'drainQueue'>

/** Returns the handlers that pause, resume and drain the queue. */
export function queueControls({ config, jobs, queue, audit }: Parts): ControlAnswers {
  const pause = async (res: Response, isToPause: boolean) => {
    await queue.pause(isToPause)
    noteDeed(audit, res, { event: isToPause ? 'queue paused' : 'queue resumed' })
    return queueState(config, queue)
  }
  return {
    pauseQueue: ({ res }) => pause(res, true),
    resumeQueue: ({ res }) => pause(res, false),
    drainQueue: async ({ res }) => {
      let canceled = 0
      const isActive = async ({ id, attempt }: Job) => (await queue.state(id, attempt)) === 'active'
      try {
        await cancelWaiting(jobs, isActive, () => canceled++)
      } finally {
        noteDeed(audit, res, { event: 'queue drained', jobs: canceled })
      }
      // No worker needs to find out that these were canceled.
      await queue.drain()
      return { canceled }
    },
  }
}

/** Reads the state of the queue; an unavailable queue is not an error. */
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
