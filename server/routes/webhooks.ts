import {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookNew,
  WebhookWithSecret,
} from '../schemas/webhook.ts'
import { LIMIT } from './parameters.ts'
import { empty, group, json, route } from './route.ts'

const needsAllStudies =
  'Webhooks notify of all studies: managing them needs a token with the role `ops` for all studies.'
const problems = ['busy', 'disk_full'] as const
const ONE = '/webhooks/:webhookId'

/** Webhooks, for operators: docs/webhooks.md. */
export const WEBHOOK_ROUTES = group({ tag: 'Webhooks', needsAllStudies })({
  listWebhooks: route('get', '/webhooks', 'read', {
    summary: 'List all webhooks, without their secrets',
    answers: { 200: json('Oldest first', WebhookList) },
  }),
  createWebhook: route('post', '/webhooks', 'read', {
    problems,
    summary: 'Create a webhook; its secret is shown only once',
    body: { schema: WebhookNew, maxBytes: 16 * 1024 },
    answers: { 201: json('The webhook', WebhookWithSecret, 'Location') },
  }),
  getWebhook: route('get', ONE, 'read', {
    summary: 'Get a webhook',
    answers: { 200: json('The webhook', Webhook) },
  }),
  removeWebhook: route('delete', ONE, 'read', {
    problems,
    summary: 'Delete a webhook and its undelivered messages',
    answers: { 204: empty('Removed') },
  }),
  listDeliveries: route('get', `${ONE}/deliveries`, 'read', {
    summary: 'List the latest delivery attempts of a webhook',
    query: [LIMIT],
    answers: { 200: json('Newest first', WebhookDeliveryList) },
  }),
  pingWebhook: route('post', `${ONE}/ping`, 'read', {
    problems,
    summary: 'Send a webhook.ping message once, without retries',
    answers: { 200: json('The delivery attempt', WebhookDelivery) },
  }),
  rotateWebhookSecret: route('post', `${ONE}/secret`, 'read', {
    problems,
    summary: 'Rotate the secret of a webhook; the old secret signs for one more day',
    answers: { 200: json('The webhook', WebhookWithSecret) },
  }),
  enableWebhook: route('post', `${ONE}/enable`, 'read', {
    problems,
    summary: 'Re-enable a webhook',
    answers: { 200: json('The webhook', Webhook) },
  }),
})
