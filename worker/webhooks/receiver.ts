import { type Message, messageIds, readMessage } from '../../engine/webhooks/message.ts'
import { type Disabled, disableWebhook, readWebhook, type Webhook } from '../../engine/webhooks/webhook.ts'
import type { Log } from '../tries/job-context.ts'
import { type DeliveryMeans, deliverMessage } from './deliver-message.ts'
import { openMessagesDue } from './messages-due.ts'

/** Messages of a webhook that are due or in flight. */
export type Receiver = {
  /** Loads new messages, and sends those that are due. */
  look: () => Promise<void>
  /** True if a message of a study waits. */
  waitsFor: (studyId: string) => boolean
  /** Waits for messages in flight. */
  settled: () => Promise<void>
}

const AT_A_TIME = 8
const FAULT_MS = 60_000

/** Opens the messages of a webhook. @param stopping aborts what is being sent, which is then not recorded */
export function openReceiver(webhookId: string, parts: DeliveryMeans & { log: Log }, stopping: AbortSignal): Receiver {
  const { records, log } = parts
  const due = openMessagesDue()
  const sending = new Set<Promise<void>>()
  let webhook: Webhook | null = null
  let switchedOff = Promise.resolve()
  let pausedUntilMs = 0
  const pause = (ms: number) => {
    pausedUntilMs = Date.now() + ms
  }

  function sendDue(): void {
    while (webhook?.disabled === null && sending.size < AT_A_TIME && !stopping.aborted && Date.now() >= pausedUntilMs) {
      const next = due.take(Date.now())
      if (next === null) return
      const sent = deliverMessage({ ...parts, webhook, due, pause, switchOff, stopping }, next)
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

  async function switchOff(why: Disabled['why']): Promise<void> {
    const disabled = { at: new Date().toISOString(), why }
    if (webhook !== null) webhook = { ...webhook, disabled }
    switchedOff = disableWebhook(records, webhookId, disabled)
    await switchedOff
    log.warn({ webhookId, why }, 'webhook switched off')
  }

  return {
    look: async () => {
      const before = switchedOff
      await before.catch(() => undefined)
      const now = await readWebhook(records, webhookId).catch(() => null)
      // Otherwise the webhook was disabled meanwhile, and the next pass notices.
      if (switchedOff === before) webhook = now
      for (const id of await messageIds(records, webhookId)) {
        if (due.has(id)) continue
        const message = await readMessage(records, webhookId, id).catch((error) => {
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

/** Placeholder for an unreadable message, so that it is reported once. */
function damagedMessage(id: string): Message {
  const never = new Date(8.64e15).toISOString()
  return { id, type: 'job.failed', studyId: '', createdAt: never, body: '', job: null, tries: 0, nextAt: never }
}
