import { randomBytes } from 'node:crypto'
import { ServiceError } from '../model/errors.ts'
import { isCode, isDiskFull } from '../model/system-errors.ts'
import { seal } from '../storage/files/sealed-json.ts'
import { type RecordsAt, recordsAt } from '../storage/records.ts'
import { newSecret, type Secret } from './sign.ts'

/**
 * Stores webhooks as records, under webhooks/<id>/: webhook.json, disabled.json while it is disabled, undelivered
 * messages (message.ts), the last notification about each study (notify-study.ts), and the log of deliveries
 * (delivery-log.ts).
 */

export const EVENT_TYPES = ['job.succeeded', 'job.failed', 'study.published', 'study.removed'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** A webhook: an address that is notified of events. */
export type Webhook = {
  id: string
  url: string
  name: string
  events: EventType[]
  /** Lower-case ids, or all studies, including future ones. */
  studies: string[] | 'all'
  /** Time of creation, RFC 3339. */
  createdAt: string
  /** Secrets, newest first; the previous one still signs for a day. */
  secrets: Secret[]
  disabled: Disabled | null
}

/** Reason for being disabled: the receiver answered 410, or no delivery succeeded for days. */
export type Disabled = { at: string; why: 'gone' | 'failing' }

export const WEBHOOKS_MAX = 50
/** Time for which a secret still signs after it was replaced. */
const OVERLAP_MS = 24 * 3_600_000

const WEBHOOK_ID = /^wh_[0-9a-f]{24}$/

function isWebhookId(name: string): boolean {
  return WEBHOOK_ID.test(name)
}

export const WEBHOOKS = 'webhooks'

/** Returns the name of a record of a webhook. @param id validated */
export function webhookPath(id: string, ...names: string[]): string {
  return [WEBHOOKS, id, ...names].join('/')
}

/**
 * Creates a webhook, which is notified of all later events.
 *
 * @param url validated
 * @throws ServiceError usage if there are WEBHOOKS_MAX, busy, disk_full
 */
export function createWebhook(
  at: RecordsAt,
  given: Pick<Webhook, 'url' | 'name' | 'events'> & Partial<Pick<Webhook, 'studies'>> & { now: Date },
): Promise<Webhook> {
  const { url, name, events, studies = 'all', now } = given
  return changing(at, async () => {
    if ((await webhookIds(at)).length >= WEBHOOKS_MAX)
      throw new ServiceError(
        'usage',
        `there are ${WEBHOOKS_MAX} webhooks already, and no more are possible: remove one`,
      )
    const id = `wh_${randomBytes(12).toString('hex')}`
    for (const folder of ['messages', 'told']) await recordsAt(at).makeFolder(webhookPath(id, folder))
    const chosen = EVENT_TYPES.filter((type) => events.includes(type))
    const of = studies === 'all' ? studies : [...new Set(studies.map((id) => id.toLowerCase()))]
    const webhook = { url, name, events: chosen, studies: of, createdAt: now.toISOString(), secrets: [newSecret()] }
    await recordsAt(at).create(webhookPath(id, 'webhook.json'), seal(webhook, id))
    return { id, ...webhook, disabled: null }
  })
}

/** Reads a webhook; null if it does not exist. @throws ServiceError corrupt */
export async function readWebhook(at: RecordsAt, id: string): Promise<Webhook | null> {
  if (!isWebhookId(id)) return null
  const [webhook, disabled] = await Promise.all([
    recordsAt(at).readSealed<Omit<Webhook, 'id' | 'disabled'>>(webhookPath(id, 'webhook.json'), id),
    recordsAt(at).readSealed<Disabled>(webhookPath(id, 'disabled.json'), id),
  ])
  // Webhooks of earlier versions report all studies.
  return webhook && { id, ...webhook, studies: webhook.studies ?? 'all', disabled }
}

/** Returns true if a webhook wants events of a study. */
export function isOf({ studies }: Pick<Webhook, 'studies'>, studyId: string): boolean {
  return studies === 'all' || studies.includes(studyId)
}

/** Lists the ids of webhooks. */
export async function webhookIds(at: RecordsAt): Promise<string[]> {
  return (await recordsAt(at).names(WEBHOOKS)).filter(isWebhookId).sort()
}

/** Lists webhooks, oldest first, without unreadable ones: `gazette check` reports those, and no job waits for them. */
export async function listWebhooks(at: RecordsAt): Promise<Webhook[]> {
  const ids = await twice(() => webhookIds(at)).catch(() => [])
  const found = await Promise.all(ids.map((id) => twice(() => readWebhook(at, id)).catch(() => null)))
  return found.filter((webhook) => webhook !== null).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

/**
 * Rotates the secret of a webhook. The previous one also signs for a day.
 *
 * @throws ServiceError not_found, busy, disk_full
 */
export function rotateSecret(at: RecordsAt, id: string, now: Date): Promise<Webhook> {
  return changing(at, async () => {
    const { disabled, id: _, ...webhook } = await existing(at, id)
    const endsAt = new Date(now.getTime() + OVERLAP_MS).toISOString()
    webhook.secrets = [newSecret(), { ...webhook.secrets[0], endsAt }]
    await recordsAt(at).replace(webhookPath(id, 'webhook.json'), seal(webhook, id))
    return { id, ...webhook, disabled }
  })
}

/** Disables a webhook. Undelivered messages stay; it gets no later events. */
export async function disableWebhook(at: RecordsAt, id: string, disabled: Disabled): Promise<void> {
  await recordsAt(at).create(webhookPath(id, 'disabled.json'), seal(disabled, id))
}

/** Enables a webhook again. @throws ServiceError not_found */
export async function enableWebhook(at: RecordsAt, id: string): Promise<void> {
  await existing(at, id)
  await recordsAt(at).remove(webhookPath(id, 'disabled.json'))
}

/** Removes a webhook with all its messages. @throws ServiceError not_found */
export async function removeWebhook(at: RecordsAt, id: string): Promise<void> {
  const records = recordsAt(at)
  if (!isWebhookId(id) || (await records.changedAt(`${webhookPath(id)}/`)) === null) throw noWebhook(id)
  // Without its record, a webhook does not exist, whatever files are left.
  await records.remove(webhookPath(id, 'webhook.json'))
  await records.removeFolder(webhookPath(id))
}

async function existing(at: RecordsAt, id: string): Promise<Webhook> {
  const webhook = await readWebhook(at, id)
  if (webhook === null) throw noWebhook(id)
  return webhook
}

function noWebhook(id: string): ServiceError {
  return new ServiceError('not_found', `there is no webhook ${id}; gazette webhook list shows them`)
}

/** Runs `work` under the lock for changes of webhooks. @throws ServiceError busy, disk_full */
async function changing<T>(at: RecordsAt, work: () => Promise<T>): Promise<T> {
  const records = recordsAt(at)
  await records.makeFolder(WEBHOOKS)
  try {
    const lock = await records.lock(`${WEBHOOKS}/lock`)
    if (lock === null) throw new ServiceError('busy', 'another process is changing webhooks: try again')
    return await work().finally(lock.release)
  } catch (cause) {
    if (!isDiskFull(cause) || cause instanceof ServiceError) throw cause
    throw new ServiceError('disk_full', 'the disk is full: the webhook was not written', { cause })
  }
}

/**
 * Retries an operation once: a message that is not written is never sent, and a single failed read or write is no sign
 * of damage.
 */
export function twice<T>(work: () => Promise<T>): Promise<T> {
  return work().catch(work)
}

/** Returns whether an error means that a webhook was removed meanwhile. */
export function isGone(error: unknown): boolean {
  return isCode(error, 'ENOENT', 'ENOTDIR')
}
