import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { replaceDurably } from '../files/durable.ts'
import { namesIn } from '../files/optional-files.ts'
import { readSealed, seal } from '../files/sealed-json.ts'
import { UUID } from '../model/parameters.ts'
import { currentIdIn } from '../snapshot/snapshots.ts'
import { type Event, messageId, writeMessage } from './message.ts'
import { isGone, isOf, listWebhooks, type Webhook, webhookPath } from './webhook.ts'

/**
 * The last that a webhook was told of a study: its snapshot, null for a study that was removed, and the message that
 * told it, '' where it knew without one.
 */
type Told = { snapshotId: string | null; messageId: string }

/**
 * Tells webhooks what a study has become: compares what each was told last with what is current, writes a message where
 * they differ, and then notes that it was told. Killed in between, the next does the same again, and makes the same
 * message.
 *
 * Who changes a study calls it before and after, with the lock held: so no snapshot is passed over, not even that of
 * one who was killed before telling. Whatever goes wrong here is no reason not to change a study; the deliverer tells
 * it later.
 */
export async function notifyStudy(studyDir: string): Promise<void> {
  const dataDir = dirname(dirname(studyDir))
  for (const webhook of await listWebhooks(dataDir)) {
    if (webhook.disabled === null) await tellWebhook(dataDir, webhook, basename(studyDir)).catch(() => undefined)
  }
}

/** Does the same for one webhook; the study's lock is held. */
export async function tellWebhook(dataDir: string, webhook: Webhook, studyId: string): Promise<void> {
  if (!isOf(webhook, studyId)) return
  const studyDir = join(dataDir, 'studies', studyId)
  const current = await currentIdIn(studyDir)
  const told = await readTold(dataDir, webhook.id, studyId)
  if (told?.snapshotId === current || (told === null && current === null)) return
  const note = async (messageId: string) => {
    const text = seal({ snapshotId: current, messageId } satisfies Told, subjectOf(webhook.id, studyId))
    await replaceDurably(toldPath(dataDir, webhook.id, studyId), text, 0o600).catch((error: unknown) => {
      if (!isGone(error)) throw error
    })
  }
  const changedMs = current === null ? Date.now() : (await stat(join(studyDir, 'current'))).mtimeMs
  // It was there before the webhook was.
  if (told === null && changedMs < Date.parse(webhook.createdAt)) return note('')
  const event = eventOf(studyId, current, told?.snapshotId ?? null, new Date(changedMs))
  const id = messageId(webhook.id, 'study', studyId, told?.messageId ?? '', current ?? 'removed')
  if (webhook.events.includes(event.type)) await writeMessage(dataDir, webhook.id, id, event)
  await note(id)
}

function eventOf(studyId: string, current: string | null, before: string | null, at: Date): Event {
  if (current === null)
    return { type: 'study.removed', studyId, at, data: { study: { id: studyId }, snapshot: before } }
  const study = { id: studyId, href: `/api2/studies/${studyId}` }
  return { type: 'study.published', studyId, at, data: { study, snapshot: current } }
}

/** Lists the studies that a webhook was told of. */
export async function toldStudies(dataDir: string, webhookId: string): Promise<string[]> {
  const names = await namesIn(webhookPath(dataDir, webhookId, 'told'))
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => UUID.test(id))
}

export function toldPath(dataDir: string, webhookId: string, studyId: string): string {
  return webhookPath(dataDir, webhookId, 'told', `${studyId}.json`)
}

/** Reads what a webhook was told of a study; null for nothing. @throws ServiceError corrupt */
export function readTold(dataDir: string, webhookId: string, studyId: string): Promise<Told | null> {
  return readSealed<Told>(toldPath(dataDir, webhookId, studyId), subjectOf(webhookId, studyId))
}

const subjectOf = (webhookId: string, studyId: string) => `${webhookId} told of ${studyId}`
