import { endedAs } from '../../engine/jobs/ended-as.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { type Delivery, listDeliveries, logDelivery } from '../../engine/webhooks/delivery-log.ts'
import { type Message, readMessage, removeMessage, replaceMessage } from '../../engine/webhooks/message.ts'
import type { Disabled, Webhook } from '../../engine/webhooks/webhook.ts'
import type { Due, MessagesDue } from './messages-due.ts'
import type { SendOptions, SendResult, sendOnce } from './send.ts'

/** Dependencies of delivering a message. @property scheduleMs delay after each failed try */
export type DeliveryMeans = {
  records: RecordsAt
  jobs: Jobs
  sendOptions: SendOptions
  scheduleMs: number[]
  send: typeof sendOnce
}

/** Receiver of a message. */
type Target = DeliveryMeans & {
  webhook: Webhook
  due: MessagesDue
  /** Pauses the webhook for so long. */
  pause: (ms: number) => void
  switchOff: (why: Disabled['why']) => Promise<void>
  /** Aborts a try in flight, which is then not recorded. */
  stopping: AbortSignal
}

/** Maximum Retry-After of a receiver that is honoured. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000
/** Jitter of delays, so that messages that failed together are not retried together. */
const JITTER = 0.1
const LOOK_AGAIN_MS = 1000

/** Sends a message that was taken from `due`, records the result, and schedules a retry if it failed. */
export async function deliverMessage(target: Target, next: Due): Promise<void> {
  const { records, jobs, webhook, due, sendOptions, send, stopping } = target
  const message = await readMessage(records, webhook.id, next.id)
  const isSo =
    message === null ? false : message.job === null || message.tries > 0 || (await endedAs(jobs, message.job))
  if (isSo === null) return due.putBack(next, null, Date.now() + LOOK_AGAIN_MS)
  if (message === null || !isSo) {
    await removeMessage(records, webhook.id, next.id)
    return due.remove(next.id)
  }
  const sent = await send(webhook, message, sendOptions, stopping)
  if (sent.retryAfterMs !== null && (sent.status === 429 || sent.status === 503))
    target.pause(Math.min(sent.retryAfterMs, RETRY_AFTER_MAX_MS))
  if (sent.error === null) {
    await note(target, message, sent, 'delivered', null)
    await removeMessage(records, webhook.id, message.id)
    return due.remove(message.id)
  }
  await putOff(target, next, message, sent)
}

/** Schedules the retry of an undelivered message, or gives up after its last try. */
async function putOff(target: Target, next: Due, message: Message, sent: SendResult): Promise<void> {
  const { records, webhook, due, scheduleMs, switchOff } = target
  const delayMs = scheduleMs[message.tries]
  if (sent.status === 410) await switchOff('gone')
  if (delayMs === undefined) {
    await note(target, message, sent, 'given up', null)
    await removeMessage(records, webhook.id, message.id)
    due.remove(message.id)
    if (!(await hasDeliveredSince(records, webhook.id, message.createdAt))) await switchOff('failing')
    return
  }
  const jitteredMs = delayMs * (1 + JITTER * (2 * Math.random() - 1))
  const nextMs = Date.now() + Math.max(jitteredMs, Math.min(sent.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS))
  const nextAt = new Date(nextMs).toISOString()
  const tries = message.tries + 1
  await replaceMessage(records, webhook.id, { ...message, tries, nextAt })
  await note(target, message, sent, 'failed', nextAt)
  due.putBack(next, tries, nextMs)
}

function note(
  { records, webhook }: Target,
  message: Message,
  sent: SendResult,
  outcome: Delivery['outcome'],
  nextAt: string | null,
): Promise<void> {
  const { id, type, studyId: study, tries } = message
  const { status, ms, error } = sent
  const time = new Date().toISOString()
  const delivery = { time, message: id, type, study, try: tries + 1, outcome, status, ms, error, nextAt }
  return logDelivery(records, webhook.id, delivery)
}

async function hasDeliveredSince(records: RecordsAt, webhookId: string, time: string): Promise<boolean> {
  const kept = await listDeliveries(records, webhookId, Number.POSITIVE_INFINITY)
  return kept.some((delivery) => delivery.outcome === 'delivered' && delivery.time >= time)
}
