import { randomBytes } from 'node:crypto'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { type Delivery, logDelivery } from '../../engine/webhooks/delivery-log.ts'
import { messageBody } from '../../engine/webhooks/message.ts'
import type { Webhook } from '../../engine/webhooks/webhook.ts'
import { type SendOptions, sendOnce } from './send.ts'

/** Sends a message of the type `webhook.ping`, once and at once, even to a disabled webhook. @returns the result */
export async function ping(
  records: RecordsAt,
  webhook: Webhook,
  sendOptions: SendOptions,
  signal: AbortSignal,
): Promise<Delivery> {
  const type = 'webhook.ping'
  const id = `msg_${randomBytes(16).toString('hex')}`
  const body = messageBody(type, new Date(), { webhook: { id: webhook.id } })
  const { status, error, ms } = await sendOnce(webhook, { id, body }, sendOptions, signal)
  const time = new Date().toISOString()
  const outcome = error === null ? 'delivered' : 'failed'
  const delivery = { time, message: id, type, study: null, try: 1, outcome, status, ms, error, nextAt: null } as const
  await logDelivery(records, webhook.id, delivery)
  return delivery
}
