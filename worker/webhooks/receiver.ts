import { endedAs } from '../../engine/jobs/ended-as.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import { type Delivery, listDeliveries, logDelivery } from '../../engine/webhooks/delivery-log.ts'
import { type Message, messageIds, readMessage, removeMessage, replaceMessage } from '../../engine/webhooks/message.ts'
import { disableWebhook, readWebhook, type Webhook } from '../../engine/webhooks/webhook.ts'
import type { Log } from '../bench.ts'
import { type Due, openMessagesDue } from './messages-due.ts'
import { type Line, type Sent, sendOnce } from './send.ts'

type Parts = { dataDir: string; jobs: Jobs; log: Log; line: Line; scheduleMs: number[] }

/** Those messages of a webhook that are to be sent, and those that are being sent. */
export type Receiver = {
  /** Takes up what has come since the last look, and sends what is due. */
  look: () => Promise<void>
  /** Whether a message of a study waits. */
  waitsFor: (studyId: string) => boolean
  /** Waits until nothing is being sent. */
  settled: () => Promise<void>
}

const AT_A_TIME = 8
/** The longest that a receiver's Retry-After is waited for. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000
/** Delays are this much longer or shorter, so that what failed together does not come back together. */
const JITTER = 0.1
const LOOK_AGAIN_MS = 1000
const FAULT_MS = 60_000

/** @param stopping breaks off what is being sent; nothing is noted of it then */
export function openReceiver(webhookId: string, parts: Parts, stopping: AbortSignal): Receiver {
  const { dataDir, jobs, log, line, scheduleMs } = parts
  const due = openMessagesDue()
  const sending = new Set<Promise<void>>()
  let webhook: Webhook | null = null
  let switchedOff = Promise.resolve()
  let pausedUntilMs = 0

  function sendDue(): void {
    while (webhook?.disabled === null && sending.size < AT_A_TIME && !stopping.aborted && Date.now() >= pausedUntilMs) {
      const next = due.take(Date.now())
      if (next === null) return
      const sent = deliver(next, webhook)
        .catch((error) => {
          due.putBack(next, null, Date.now() + FAULT_MS)
          if (!stopping.aborted) log.error({ webhookId, message: next.id, err: error }, 'a message cannot be delivered')
        })
        .finally(() => {
          sending.delete(sent)
          sendDue()
        })
      sending.add(sent)
    }
  }

  async function deliver(next: Due, to: Webhook): Promise<void> {
    const message = await readMessage(dataDir, webhookId, next.id)
    const isSo =
      message === null ? false : message.job === null || message.tries > 0 || (await endedAs(jobs, message.job))
    if (isSo === null) return due.putBack(next, null, Date.now() + LOOK_AGAIN_MS)
    if (message === null || !isSo) {
      await removeMessage(dataDir, webhookId, next.id)
      return due.remove(next.id)
    }
    const sent = await sendOnce(to, message, line, stopping)
    if (sent.retryAfterMs !== null && (sent.status === 429 || sent.status === 503))
      pausedUntilMs = Date.now() + Math.min(sent.retryAfterMs, RETRY_AFTER_MAX_MS)
    if (sent.error === null) {
      await note(message, sent, 'delivered', null)
      await removeMessage(dataDir, webhookId, message.id)
      return due.remove(message.id)
    }
    await putOff(next, message, sent)
  }

  async function putOff(next: Due, message: Message, sent: Sent): Promise<void> {
    const delayMs = scheduleMs[message.tries]
    if (sent.status === 410) await disable('gone')
    if (delayMs === undefined) {
      await note(message, sent, 'given up', null)
      await removeMessage(dataDir, webhookId, message.id)
      due.remove(message.id)
      if (!(await hasDeliveredSince(dataDir, webhookId, message.createdAt))) await disable('failing')
      return
    }
    const jitteredMs = delayMs * (1 + JITTER * (2 * Math.random() - 1))
    const nextMs = Date.now() + Math.max(jitteredMs, Math.min(sent.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS))
    const nextAt = new Date(nextMs).toISOString()
    const tries = message.tries + 1
    await replaceMessage(dataDir, webhookId, { ...message, tries, nextAt })
    await note(message, sent, 'failed', nextAt)
    due.putBack(next, tries, nextMs)
  }

  function note(message: Message, sent: Sent, outcome: Delivery['outcome'], nextAt: string | null): Promise<void> {
    const { id, type, studyId: study, tries } = message
    const { status, ms, error } = sent
    const time = new Date().toISOString()
    const delivery = { time, message: id, type, study, try: tries + 1, outcome, status, ms, error, nextAt }
    return logDelivery(dataDir, webhookId, delivery)
  }

  async function disable(why: 'gone' | 'failing'): Promise<void> {
    const disabled = { at: new Date().toISOString(), why }
    if (webhook !== null) webhook = { ...webhook, disabled }
    switchedOff = disableWebhook(dataDir, webhookId, disabled)
    await switchedOff
    log.warn({ webhookId, why }, 'webhook switched off')
  }

  return {
    look: async () => {
      const before = switchedOff
      await before.catch(() => undefined)
      const now = await readWebhook(dataDir, webhookId).catch(() => null)
      // Else it was switched off while it was read, and the next look knows.
      if (switchedOff === before) webhook = now
      for (const id of await messageIds(dataDir, webhookId)) {
        if (due.has(id)) continue
        const message = await readMessage(dataDir, webhookId, id).catch((error) => {
          log.error({ webhookId, message: id, err: error }, 'a message is damaged; gazette check --repair removes it')
          return damagedMessage(id)
        })
        if (message !== null) due.add(message)
      }
      sendDue()
    },
    waitsFor: due.hasStudy,
    settled: async () => {
      await Promise.all(sending)
    },
  }
}

/** Stands in for a message that cannot be read, so that it is told of once. */
function damagedMessage(id: string): Message {
  const never = new Date(8.64e15).toISOString()
  return { id, type: 'job.failed', studyId: '', createdAt: never, body: '', job: null, tries: 0, nextAt: never }
}

async function hasDeliveredSince(dataDir: string, webhookId: string, time: string): Promise<boolean> {
  const kept = await listDeliveries(dataDir, webhookId, Number.POSITIVE_INFINITY)
  return kept.some((delivery) => delivery.outcome === 'delivered' && delivery.time >= time)
}
