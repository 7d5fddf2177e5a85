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
 * Last notification of a webhook about a study: its snapshot, null for a removed study, and the message, '' if none was
 * needed.
 */
type Notified = { snapshotId: string | null; messageId: string }

/**
 * Notifies webhooks of the current state of a study: compares the last notified snapshot of each with the current one,
 * writes a message if they differ, and records that. Idempotent: if it is killed in between, the next call makes the
 * same message.
 *
 * Call it before and after each change of a study, under the study's lock, so that no snapshot is skipped, even if a
 * process was killed before it could notify. Errors never stop a change: the delivering process notifies later.
 */
export async function notifyStudy(studyDir: string): Promise<void> {
  const dataDir = dirname(dirname(studyDir))
  for (const webhook of await listWebhooks(dataDir)) {
    if (webhook.disabled === null) await notifyWebhook(dataDir, webhook, basename(studyDir)).catch(() => undefined)
  }
}

/** Notifies one webhook likewise; the study's lock is held. */
export async function notifyWebhook(dataDir: string, webhook: Webhook, studyId: string): Promise<void> {
  if (!isOf(webhook, studyId)) return
  const studyDir = join(dataDir, 'studies', studyId)
  const current = await currentIdIn(studyDir)
  const told = await readNotified(dataDir, webhook.id, studyId)
  if (told?.snapshotId === current || (told === null && current === null)) return
  const note = async (messageId: string) => {
    const text = seal({ snapshotId: current, messageId } satisfies Notified, subjectOf(webhook.id, studyId))
    await replaceDurably(notifiedPath(dataDir, webhook.id, studyId), text, 0o600).catch((error: unknown) => {
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

/** Lists the studies of which a webhook was notified. */
export async function notifiedStudies(dataDir: string, webhookId: string): Promise<string[]> {
  const names = await namesIn(webhookPath(dataDir, webhookId, 'told'))
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => UUID.test(id))
}

export function notifiedPath(dataDir: string, webhookId: string, studyId: string): string {
  return webhookPath(dataDir, webhookId, 'told', `${studyId}.json`)
}

/** Reads the last notification of a webhook about a study; null for none. @throws ServiceError corrupt */
export function readNotified(dataDir: string, webhookId: string, studyId: string): Promise<Notified | null> {
  return readSealed<Notified>(notifiedPath(dataDir, webhookId, studyId), subjectOf(webhookId, studyId))
}

const subjectOf = (webhookId: string, studyId: string) => `${webhookId} told of ${studyId}`
