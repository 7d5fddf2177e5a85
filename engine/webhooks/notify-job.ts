import type { FilePlan } from '../model/plan.ts'
import type { RecordsAt } from '../store/records.ts'
import { type Event, messageId, writeMessage } from './message.ts'
import { isOf, listWebhooks } from './webhook.ts'

/** Outcome with which an attempt at a job is about to end. */
type JobEnding = {
  id: string
  attempt: number
  plan: FilePlan
  state: 'succeeded' | 'failed'
  finishedAt: string
  file: { bytes: number; rows: number; sha256: string } | null
  errorCode: string | null
}

/**
 * Writes down for each webhook how a job is about to end, before the end itself is written: should this process be
 * killed in between, nothing was said that is not so, since a message is sent only when the job has ended like that.
 *
 * @throws the error of a full disk
 */
export async function notifyJob(at: RecordsAt, ending: JobEnding): Promise<void> {
  const { id, attempt, state } = ending
  const event = eventOf(ending)
  for (const webhook of await listWebhooks(at)) {
    if (webhook.disabled !== null || !webhook.events.includes(event.type) || !isOf(webhook, event.studyId)) continue
    await writeMessage(at, webhook.id, messageId(webhook.id, 'job', id, attempt, state), event)
  }
}

function eventOf({ id, attempt, plan, state, finishedAt, file, errorCode }: JobEnding): Event {
  const job = { id, href: `/api2/jobs/${id}`, attempt, state, finishedAt }
  const data = {
    job,
    export: plan.export,
    study: { id: plan.studyId, href: `/api2/studies/${plan.studyId}` },
    snapshot: plan.snapshotId,
    ...(file === null ? {} : { file: { href: `/api2/jobs/${id}/file`, ...file } }),
    ...(errorCode === null ? {} : { error: { code: errorCode } }),
  }
  return { type: `job.${state}`, studyId: plan.studyId, at: new Date(finishedAt), data, job: { id, attempt, state } }
}
