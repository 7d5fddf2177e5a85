import type { RecordsAt } from '../../engine/storage/records.ts'
import { messageIds } from '../../engine/webhooks/message.ts'
import type { Webhook } from '../../engine/webhooks/webhook.ts'
import type { WebhookView } from '../schemas/webhook.ts'

/** Returns the view of a webhook for clients: without its secrets, with the number of its undelivered messages. */
export async function viewWebhook(records: RecordsAt, { secrets: _, ...webhook }: Webhook): Promise<WebhookView> {
  return { ...webhook, waiting: (await messageIds(records, webhook.id)).length }
}
