import type { FilePlan } from '../model/plan.ts'
import type { RecordsAt } from '../storage/records.ts'
import { type Event, messageId, writeMessage } from './message.ts'
import { isOf, listWebhooks } from './webhook.ts'

/** Outcome that is about to be recorded for an attempt at a job. */
type JobEnding = {
  id: string
  attempt: number
  plan: FilePlan
  state: 'succeeded' | 'failed'
  finishedAt: string
  file: { bytes: number; rows: number; sha256: string } | null
  /** Totals of the files of a job in parts. */
  parts: { count: number; bytes: number; rows: number } | null
  errorCode: string | null
}

/**
 * Writes a message for each webhook about the end of a job, before the end itself is recorded. Even if this process is
 * killed in between, nothing untrue is announced, since a message is sent only if the job has ended like that.
 *
 * @throws a system's error if the disk is full
 */
export async function notifyJob(at: RecordsAt, ending: JobEnding): Promise<void> {
  const { id, attempt, state } = ending
  const event = eventOf(ending)
  for (const webhook of await listWebhooks(at)) {
    if (webhook.disabled !== null || !webhook.events.includes(event.type) || !isOf(webhook, event.studyId)) continue
    await writeMessage(at, webhook.id, messageId(webhook.id, 'job', id, attempt, state), event)
  }
}

function eventOf({ id, attempt, plan, state, finishedAt, file, parts, errorCode }: JobEnding): Event {
  const job = { id, href: `/api2/jobs/${id}`, attempt, state, finishedAt }
  const data = {
    job,
    export: plan.export,
    study: { id: plan.studyId, href: `/api2/studies/${plan.studyId}` },
    snapshot: plan.snapshotId,
    ...(file === null ? {} : { file: { href: `/api2/jobs/${id}/file`, ...file } }),
    ...(parts === null ? {} : { parts }),
    ...(errorCode === null ? {} : { error: { code: errorCode } }),
  }
  return { type: `job.${state}`, studyId: plan.studyId, at: new Date(finishedAt), data, job: { id, attempt, state } }
}
