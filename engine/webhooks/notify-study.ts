import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { seal } from '../files/sealed-json.ts'
import { UUID } from '../model/parameters.ts'
import { currentIdIn } from '../snapshot/snapshots.ts'
import { type RecordsAt, recordsAt } from '../store/records.ts'
import { type Event, messageId, writeMessage } from './message.ts'
import { isGone, isOf, listWebhooks, type Webhook, webhookPath } from './webhook.ts'

/**
 * The last that a webhook was told of a study: its snapshot, null for a study that was removed, and the message that
 * told it, '' where it knew without one.
 */
type Told = { snapshotId: string | null; messageId: string }

/** What a study is for everybody: its current snapshot, null for none, and since when, in ms since the epoch. */
export type StudyNow = { studyId: string; snapshotId: string | null; sinceMs: number }

/** Returns what the study of a directory is. */
export async function studyNow(studyDir: string): Promise<StudyNow> {
  const snapshotId = await currentIdIn(studyDir)
  const sinceMs = snapshotId === null ? Date.now() : (await stat(join(studyDir, 'current'))).mtimeMs
  return { studyId: basename(studyDir), snapshotId, sinceMs }
}

/**
 * Tells webhooks what a study has become: compares what each was told last with what is current, writes a message where
 * they differ, and then notes that it was told. Killed in between, the next does the same again, and makes the same
 * message.
 *
 * Who changes a study calls it before and after, with the lock held: so no snapshot is passed over, not even that of
 * one who was killed before telling. Whatever goes wrong here is no reason not to change a study; the deliverer tells
 * it later.
 */
export async function notifyStudy(at: RecordsAt, now: () => Promise<StudyNow>): Promise<void> {
  for (const webhook of await listWebhooks(at)) {
    if (webhook.disabled !== null) continue
    await now()
      .then((study) => tellWebhook(at, webhook, study))
      .catch(() => undefined)
  }
}

/** Does the same for one webhook; the study's lock is held. */
export async function tellWebhook(
  at: RecordsAt,
  webhook: Webhook,
  { studyId, snapshotId: current, sinceMs }: StudyNow,
): Promise<void> {
  if (!isOf(webhook, studyId)) return
  const told = await readTold(at, webhook.id, studyId)
  if (told?.snapshotId === current || (told === null && current === null)) return
  const note = async (messageId: string) => {
    const text = seal({ snapshotId: current, messageId } satisfies Told, subjectOf(webhook.id, studyId))
    await recordsAt(at)
      .replace(toldPath(webhook.id, studyId), text)
      .catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
  }
  // It was there before the webhook was.
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

/** Lists the studies that a webhook was told of. */
export async function toldStudies(at: RecordsAt, webhookId: string): Promise<string[]> {
  const names = await recordsAt(at).names(webhookPath(webhookId, 'told'))
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => UUID.test(id))
}

export function toldPath(webhookId: string, studyId: string): string {
  return webhookPath(webhookId, 'told', `${studyId}.json`)
}

/** Reads what a webhook was told of a study; null for nothing. @throws ServiceError corrupt */
export function readTold(at: RecordsAt, webhookId: string, studyId: string): Promise<Told | null> {
  return recordsAt(at).read<Told>(toldPath(webhookId, studyId), subjectOf(webhookId, studyId))
}

const subjectOf = (webhookId: string, studyId: string) => `${webhookId} told of ${studyId}`
