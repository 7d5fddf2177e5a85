import {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookNew,
  WebhookWithSecret,
} from '../schemas/webhook.ts'
import { LIMIT } from './parameters.ts'
import { empty, json, type Route, route } from './route.ts'

const tag = 'Webhooks'
const needsAllStudies = 'Webhooks tell of all studies: they need a token of the role `ops` for all of them.'
const READING = { method: 'get', role: 'read', needsAllStudies, tag } as const satisfies Partial<Route>
const CHANGING = {
  role: 'read',
  needsAllStudies,
  tag,
  problems: ['busy', 'disk_full'],
} as const satisfies Partial<Route>
const ONE = '/webhooks/:webhookId'

/** Webhooks, for operators: docs/webhooks.md. */
export const WEBHOOK_ROUTES = {
  listWebhooks: route({
    ...READING,
    path: '/webhooks',
    summary: 'List all webhooks, without their secrets',
    answers: { 200: json('Oldest first', WebhookList) },
  }),
  createWebhook: route({
    ...CHANGING,
    method: 'post',
    path: '/webhooks',
    needsFiles: true,
    summary: 'Create a webhook; its secret is shown only once',
    body: { schema: WebhookNew, maxBytes: 16 * 1024 },
    answers: { 201: json('The webhook', WebhookWithSecret, 'Location') },
  }),
  getWebhook: route({
    ...READING,
    path: ONE,
    summary: 'Get a webhook',
    answers: { 200: json('The webhook', Webhook) },
  }),
  removeWebhook: route({
    ...CHANGING,
    method: 'delete',
    path: ONE,
    summary: 'Delete a webhook and its undelivered messages',
    answers: { 204: empty('Removed') },
  }),
  listDeliveries: route({
    ...READING,
    path: `${ONE}/deliveries`,
    summary: 'List the latest delivery attempts of a webhook',
    query: [LIMIT],
    answers: { 200: json('Newest first', WebhookDeliveryList) },
  }),
  pingWebhook: route({
    ...CHANGING,
    method: 'post',
    path: `${ONE}/ping`,
    summary: 'Send a webhook.ping message once, without retries',
    answers: { 200: json('The delivery attempt', WebhookDelivery) },
  }),
  rotateWebhookSecret: route({
    ...CHANGING,
    method: 'post',
    path: `${ONE}/secret`,
    summary: 'Rotate the secret of a webhook; the old secret signs for one more day',
    answers: { 200: json('The webhook', WebhookWithSecret) },
  }),
  enableWebhook: route({
    ...CHANGING,
    method: 'post',
    path: `${ONE}/enable`,
    summary: 'Re-enable a webhook',
    answers: { 200: json('The webhook', Webhook) },
  }),
}
