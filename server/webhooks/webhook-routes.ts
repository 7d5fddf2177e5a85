import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Fault } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { listDeliveries } from '../../engine/webhooks/delivery-log.ts'
import { messageIds } from '../../engine/webhooks/message.ts'
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
import { bodyOf, readJson } from '../http/body/json-body.ts'
import { leaving } from '../http/leaving.ts'
import { invalidParameters, onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, readLimit, refuseUnknown } from '../http/query.ts'
import { requestIdOf } from '../http/request-log.ts'
import type { WebhookDeliveryList, WebhookList } from '../schemas/webhook.ts'
import { WebhookNew, type WebhookView, type WebhookWithSecret } from '../schemas/webhook.ts'

type Parts = { config: Pick<Config, 'dataDir' | 'webhookNetworks'>; audit: AuditLog }

const BODY_MAX_BYTES = 16 * 1024

/** Returns the routes of webhooks, for `ops` tokens of all studies. */
export function webhookRoutes({ config, audit }: Parts): Router {
  const { dataDir, webhookNetworks } = config
  const allowed = allowedNetworks(webhookNetworks)
  const router = Router({ caseSensitive: true })
  const note = (res: Response, event: 'webhook made' | 'webhook changed' | 'webhook removed', webhook: string) =>
    audit.write({ event, by: { token: tokenOf(res).id }, webhook, requestId: requestIdOf(res) }, new Date())
  const view = async ({ secrets: _, ...webhook }: Webhook): Promise<WebhookView> => ({
    ...webhook,
    waiting: (await messageIds(dataDir, webhook.id)).length,
  })
  const answerSecret = async (res: Response, status: number, webhook: Webhook) => {
    const body: z.infer<typeof WebhookWithSecret> = { ...(await view(webhook)), secret: webhook.secrets[0].secret }
    res.status(status).json(body)
  }
  const named = async (req: Request): Promise<Webhook> => {
    const webhook = await readWebhook(dataDir, String(req.params.webhookId))
    if (webhook === null) throw new ProblemError('not_found')
    return webhook
  }

  router.use('/webhooks', requireOperatorOfAll)
  router
    .route('/webhooks')
    .get(async (req, res) => {
      refuseUnknown(queryOf(req.url), [])
      const body: z.infer<typeof WebhookList> = {
        webhooks: await Promise.all((await listWebhooks(dataDir)).map(view)),
      }
      res.json(body)
    })
    .post(readJson(BODY_MAX_BYTES), async (req, res) => {
      refuseUnknown(queryOf(req.url), [])
      const { url, name = '', events = [...EVENT_TYPES], studies } = bodyOf(req, WebhookNew)
      const rule = addressFault(url, webhookNetworks !== '') ?? (await roomFault(dataDir))
      if (rule !== null) throw invalidParameters([{ parameter: 'url', rule, value: url }])
      const webhook = await createWebhook(dataDir, { url, name, events, studies, now: new Date() })
      note(res, 'webhook made', webhook.id)
      res.setHeader('Location', `/api2/webhooks/${webhook.id}`)
      await answerSecret(res, 201, webhook)
    })
    .all(onlyMethods('GET', 'HEAD', 'POST'))
  router
    .route('/webhooks/:webhookId')
    .get(async (req, res) => {
      const webhook = await named(req)
      refuseUnknown(queryOf(req.url), [])
      res.json(await view(webhook))
    })
    .delete(async (req, res) => {
      refuseUnknown(queryOf(req.url), [])
      await removeWebhook(dataDir, String(req.params.webhookId))
      note(res, 'webhook removed', String(req.params.webhookId))
      res.status(204).end()
    })
    .all(onlyMethods('GET', 'HEAD', 'DELETE'))
  router
    .route('/webhooks/:webhookId/deliveries')
    .get(async (req, res) => {
      const { id } = await named(req)
      const faults: Fault[] = []
      const query = queryOf(req.url)
      const limit = readLimit(query, faults)
      refuseUnknown(query, ['limit'], faults)
      const body: z.infer<typeof WebhookDeliveryList> = { deliveries: await listDeliveries(dataDir, id, limit) }
      res.json(body)
    })
    .all(onlyMethods('GET', 'HEAD'))

  const act = (action: string, handler: (res: Response, webhook: Webhook) => Promise<void>) =>
    router
      .route(`/webhooks/:webhookId/${action}`)
      .post(async (req, res) => {
        const webhook = await named(req)
        refuseUnknown(queryOf(req.url), [])
        await handler(res, webhook)
      })
      .all(onlyMethods('POST'))
  act('ping', async (res, webhook) => void res.json(await ping(dataDir, webhook, { allowed }, leaving(res))))
  act('secret', async (res, { id }) => {
    const webhook = await rotateSecret(dataDir, id, new Date())
    note(res, 'webhook changed', id)
    await answerSecret(res, 200, webhook)
  })
  act('enable', async (res, webhook) => {
    await enableWebhook(dataDir, webhook.id)
    note(res, 'webhook changed', webhook.id)
    res.json(await view({ ...webhook, disabled: null }))
  })
  return router
}

const ALL_STUDIES = 'Webhooks tell of all studies: they need a token of the role `ops` for all of them.'

const requireOperatorOfAll: RequestHandler = (_req, res, next) => {
  const { role, studies } = tokenOf(res)
  if (role !== 'ops' || studies !== 'all') throw new ProblemError('forbidden', { detail: ALL_STUDIES })
  res.setHeader('Cache-Control', 'no-store')
  next()
}

async function roomFault(dataDir: string): Promise<string | null> {
  const isFull = (await listWebhooks(dataDir)).length >= WEBHOOKS_MAX
  return isFull ? `would be one of more than ${WEBHOOKS_MAX} webhooks: remove one first` : null
}
