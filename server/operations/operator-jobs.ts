import type { z } from 'zod'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import { interestedIn, noteInterest } from '../../engine/jobs/interest.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { triesPath } from '../../engine/jobs/record/job-paths.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { readable } from '../access/authorize.ts'
import { pageOfJobs } from '../exports/job-list.ts'
import { sendAccepted } from '../exports/job-routes.ts'
import { openView, viewQueued } from '../exports/job-view.ts'
import type { Queued } from '../exports/queued.ts'
import { ProblemError } from '../http/problems.ts'
import { noteDeed } from '../http/request-log.ts'
import type { OPERATION_ROUTES } from '../routes/operations.ts'
import type { Answers } from '../routes/route.ts'
import type { OperatorJob } from '../schemas/operations.ts'

export type JobParts = {
  jobs: Jobs
  queue: JobQueue
  queued: Queued
  studies: Studies
  tokens: Tokens
  pool: EnginePool
  audit: AuditLog
}

/** Returns the handlers of jobs for operators: the tokens that requested them, and retrying failed ones. */
export function operatorJobs(parts: JobParts): Pick<Answers<typeof OPERATION_ROUTES>, 'listOperatorJobs' | 'retryJob'> {
  const { jobs, queued, audit } = parts
  return {
    listOperatorJobs: async ({ token, query }) => pageOfJobs(parts, await operatorView(parts), readable(token), query),
    retryJob: async ({ res, job, token }) => {
      if (job.end === null || job.end.state === 'succeeded') throw new ProblemError('conflict', { detail: NO_RETRY })
      const begun = await queued.ask(job.plan, { ...job, tokenId: token.id, tokenName: token.name, isRetry: true })
      // Tokens that waited for the failed attempt wait for this one.
      for (const tokenId of await interestedIn(jobs, job)) await noteInterest(jobs, begun.id, begun.attempt, tokenId)
      noteDeed(audit, res, { event: 'job retried', job: job.id, study: job.plan.studyId, export: job.plan.export })
      sendAccepted(res, viewQueued(begun))
    },
  }
}

const NO_RETRY = 'The job is under way, or its file is there: nothing is to be tried again.'

/** Returns a function that views jobs for one request; it looks up the names of tokens once. */
async function operatorView({ jobs, queue, studies, tokens }: JobParts): Promise<(job: Job) => Promise<View>> {
  const viewOf = openView(queue)
  const tokenNames = new Map((await tokens.list()).map(({ id, name }) => [id, name]))
  const currents = await studies.currents()
  /** Name of the study; null if it was removed or cannot be read. */
  const studyName = async (id: string) => {
    const snapshotId = currents.get(id)
    if (!snapshotId) return null
    const facts = await studies.facts(id, snapshotId).catch(() => null)
    return facts?.name ?? null
  }
  return async (job) => ({
    ...(await viewOf(job)),
    studyName: await studyName(job.plan.studyId),
    askedBy: (await interestedIn(jobs, job)).map((id) => ({ id, name: tokenNames.get(id) ?? '' })),
    attempt: job.attempt,
    tries: (await jobs.storage.readText(triesPath(job.id, job.attempt)))?.length ?? 0,
  })
}

type View = z.infer<typeof OperatorJob>
