import type { Request, Response } from 'express'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { listDeliveries } from '../../engine/webhooks/delivery-log.ts'
import {
  createWebhook,
  EVENT_TYPES,
  enableWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  rotateSecret,
  WEBHOOKS_MAX,
  type Webhook,
} from '../../engine/webhooks/webhook.ts'
import { allowedNetworks } from '../../worker/webhooks/addresses.ts'
import { ping } from '../../worker/webhooks/ping.ts'
import { addressFault } from '../../worker/webhooks/send.ts'
import { tokenOf } from '../access/authorize.ts'
import { leaving } from '../http/leaving.ts'
import { invalidParameters, ProblemError } from '../http/problems.ts'
import { requestIdOf } from '../http/request-log.ts'
import type { Answers } from '../routes/route.ts'
import type { WEBHOOK_ROUTES } from '../routes/webhooks.ts'
import { viewWebhook } from './webhook-view.ts'

type Parts = { config: Pick<Config, 'webhookNetworks'>; records: RecordsAt; audit: AuditLog }

/** Returns the handlers of webhooks. */
export function webhookRoutes({ config, records, audit }: Parts): Answers<typeof WEBHOOK_ROUTES> {
  const { webhookNetworks } = config
  const allowed = allowedNetworks(webhookNetworks)
  const note = (res: Response, event: 'webhook made' | 'webhook changed' | 'webhook removed', webhook: string) =>
    audit.write({ event, by: { token: tokenOf(res).id }, webhook, requestId: requestIdOf(res) }, new Date())
  const view = (webhook: Webhook) => viewWebhook(records, webhook)
  const viewSecret = async (webhook: Webhook) => ({ ...(await view(webhook)), secret: webhook.secrets[0].secret })
  return {
    listWebhooks: async () => ({ webhooks: await Promise.all((await listWebhooks(records)).map(view)) }),
    createWebhook: async ({ res, body }) => {
      const { url, name = '', events = [...EVENT_TYPES], studies } = body
      const rule = addressFault(url, webhookNetworks !== '') ?? (await roomFault(records))
      if (rule !== null) throw invalidParameters([{ parameter: 'url', rule, value: url }])
      const webhook = await createWebhook(records, { url, name, events, studies, now: new Date() })
      note(res, 'webhook made', webhook.id)
      res.setHeader('Location', `/api2/webhooks/${webhook.id}`)
      return viewSecret(webhook)
    },
    getWebhook: ({ webhook }) => view(webhook),
    removeWebhook: async ({ res, webhook: { id } }) => {
      await removeWebhook(records, id)
      note(res, 'webhook removed', id)
    },
    listDeliveries: async ({ webhook, query }) => ({
      deliveries: await listDeliveries(records, webhook.id, query.limit),
    }),
    pingWebhook: ({ res, webhook }) => ping(records, webhook, { allowed }, leaving(res)),
    rotateWebhookSecret: async ({ res, webhook: { id } }) => {
      const webhook = await rotateSecret(records, id, new Date())
      note(res, 'webhook changed', id)
      return viewSecret(webhook)
    },
    enableWebhook: async ({ res, webhook }) => {
      await enableWebhook(records, webhook.id)
      note(res, 'webhook changed', webhook.id)
      return view({ ...webhook, disabled: null })
    },
  }
}

/** Finds the webhook that a path names. @throws ProblemError not_found */
export async function findWebhook(records: RecordsAt, { params }: Request): Promise<{ webhook: Webhook }> {
  const webhook = await readWebhook(records, String(params.webhookId))
  if (webhook === null) throw new ProblemError('not_found')
  return { webhook }
}

async function roomFault(records: RecordsAt): Promise<string | null> {
  const isFull = (await listWebhooks(records)).length >= WEBHOOKS_MAX
  return isFull ? `would be one of more than ${WEBHOOKS_MAX} webhooks: remove one first` : null
}
