import { UUID } from '../model/parameters.ts'
import { seal } from '../storage/files/sealed-json.ts'
import { type RecordsAt, recordsAt } from '../storage/records.ts'
import { type Event, messageId, writeMessage } from './message.ts'
import { isGone, isOf, listWebhooks, type Webhook, webhookPath } from './webhook.ts'

/**
 * Last notification of a webhook about a study: its snapshot, null for a removed study, and the message, '' if none was
 * needed.
 */
type Notified = { snapshotId: string | null; messageId: string }

/** Current snapshot of a study, null for none, and the time at which it was published, in ms since the epoch. */
export type StudyNow = { studyId: string; snapshotId: string | null; sinceMs: number }

/**
 * Notifies webhooks of the current state of a study: compares the last notified snapshot of each with the current one,
 * writes a message if they differ, and records that. Idempotent: if it is killed in between, the next call makes the
 * same message.
 *
 * Call it before and after each change of a study, under the study's lock, so that no snapshot is skipped, even if a
 * process was killed before it could notify. Errors never stop a change: the delivering process notifies later.
 */
export async function notifyStudy(at: RecordsAt, now: () => Promise<StudyNow>): Promise<void> {
  for (const webhook of await listWebhooks(at)) {
    if (webhook.disabled !== null) continue
    await now()
      .then((study) => notifyWebhook(at, webhook, study))
      .catch(() => undefined)
  }
}

/** Notifies one webhook in the same way; the caller holds the study's lock. */
export async function notifyWebhook(
  at: RecordsAt,
  webhook: Webhook,
  { studyId, snapshotId: current, sinceMs }: StudyNow,
): Promise<void> {
  if (!isOf(webhook, studyId)) return
  const told = await readNotified(at, webhook.id, studyId)
  if (told?.snapshotId === current || (told === null && current === null)) return
  const note = async (messageId: string) => {
    const text = seal({ snapshotId: current, messageId } satisfies Notified, subjectOf(webhook.id, studyId))
    await recordsAt(at)
      .replace(notifiedPath(webhook.id, studyId), text)
      .catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
  }
  // The study existed before the webhook.
  if (told === null && sinceMs < Date.parse(webhook.createdAt)) return note('')
  const event = eventOf(studyId, current, told?.snapshotId ?? null, new Date(sinceMs))
  const id = messageId(webhook.id, 'study', studyId, told?.messageId ?? '', current ?? 'removed')
  if (webhook.events.includes(event.type)) await writeMessage(at, webhook.id, id, event)
  await note(id)
}

function eventOf(studyId: string, current: string | null, before: string | null, at: Date): Event {
  if (current === null)
    return { type: 'study.removed', studyId, at, data: { study: { id: studyId }, snapshot: before } }
  const study = { id: studyId, href: `/api2/studies/${studyId}` }
  return { type: 'study.published', studyId, at, data: { study, snapshot: current } }
}

/** Lists the studies about which a webhook was notified. */
export async function notifiedStudies(at: RecordsAt, webhookId: string): Promise<string[]> {
  const names = await recordsAt(at).names(webhookPath(webhookId, 'told'))
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => UUID.test(id))
}

export function notifiedPath(webhookId: string, studyId: string): string {
  return webhookPath(webhookId, 'told', `${studyId}.json`)
}

/** Reads the last notification of a webhook about a study; null if there is none. @throws ServiceError corrupt */
export function readNotified(at: RecordsAt, webhookId: string, studyId: string): Promise<Notified | null> {
  return recordsAt(at).readSealed<Notified>(notifiedPath(webhookId, studyId), subjectOf(webhookId, studyId))
}

const subjectOf = (webhookId: string, studyId: string) => `${webhookId} told of ${studyId}`
