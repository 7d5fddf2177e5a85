import { createHash } from 'node:crypto'
import { isDiskFull } from '../model/system-errors.ts'
import { seal } from '../storage/files/sealed-json.ts'
import { type RecordsAt, recordsAt } from '../storage/records.ts'
import { type EventType, isGone, twice, webhookPath } from './webhook.ts'

/**
 * An undelivered message to a webhook. Each is a file, written before the event or together with it, and removed after
 * delivery or when Gazette gives up. The files are the truth; in-memory copies are an index.
 */
export type Message = {
  /** Id, derived from the event, so an event is never two messages. */
  id: string
  type: EventType
  studyId: string
  /** Time of the event, which may be about to happen; RFC 3339. */
  createdAt: string
  /** Body of the request, sent byte for byte. */
  body: string
  /** End of a job that is being recorded: the message is sent only if the job has ended like that. */
  job: { id: string; attempt: number; state: 'succeeded' | 'failed' } | null
  /** Number of failed tries. */
  tries: number
  /** Time of the next try, RFC 3339; null for at once. */
  nextAt: string | null
}

/** Event of a message: only ids and links, no data of participants. */
export type Event = { type: EventType; studyId: string; at: Date; data: object; job?: Message['job'] }

const MESSAGE_FILE = /^(msg_[0-9a-f]{32})\.json$/

function messagePath(webhookId: string, id: string): string {
  return webhookPath(webhookId, 'messages', `${id}.json`)
}

const subjectOf = (webhookId: string, id: string) => `${webhookId} ${id}`

/** Returns the body of a message in the form of Standard Webhooks. */
export function messageBody(type: string, at: Date, data: object): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}

/** Derives the id of a message from the facts that distinguish its event from all others of the webhook. */
export function messageId(webhookId: string, ...event: (string | number)[]): string {
  const hash = createHash('sha256').update([webhookId, ...event].join(' '))
  return `msg_${hash.digest('hex').slice(0, 32)}`
}

/**
 * Writes a message durably: it is synced on return. It replaces one of a killed process. A damaged or removed webhook
 * does not stop the caller.
 *
 * @throws a system's error if the disk is full
 */
export async function writeMessage(records: RecordsAt, webhookId: string, id: string, event: Event): Promise<void> {
  const { type, studyId, at, data, job = null } = event
  const body = messageBody(type, at, data)
  const message = { id, type, studyId, createdAt: at.toISOString(), body, job, tries: 0, nextAt: null }
  try {
    await twice(() => recordsAt(records).replace(messagePath(webhookId, id), sealed(webhookId, message)))
  } catch (error) {
    if (isDiskFull(error)) throw error
  }
}

/** Reads a message; null if it does not exist. @throws ServiceError corrupt */
export function readMessage(at: RecordsAt, webhookId: string, id: string): Promise<Message | null> {
  return recordsAt(at).readSealed<Message>(messagePath(webhookId, id), subjectOf(webhookId, id))
}

/** Lists the ids of a webhook's messages, unordered. */
export async function messageIds(at: RecordsAt, webhookId: string): Promise<string[]> {
  const names = await recordsAt(at).names(webhookPath(webhookId, 'messages'))
  return names.flatMap((name) => MESSAGE_FILE.exec(name)?.[1] ?? [])
}

/** Replaces a message after another try. */
export async function replaceMessage(at: RecordsAt, webhookId: string, message: Message): Promise<void> {
  await recordsAt(at)
    .replace(messagePath(webhookId, message.id), sealed(webhookId, message))
    .catch((error: unknown) => {
      if (!isGone(error)) throw error
    })
}

export async function removeMessage(at: RecordsAt, webhookId: string, id: string): Promise<void> {
  await recordsAt(at).remove(messagePath(webhookId, id))
}

function sealed(webhookId: string, message: Message): string {
  return seal(message, subjectOf(webhookId, message.id))
}
