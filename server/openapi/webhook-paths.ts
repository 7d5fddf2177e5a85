import { EVENT_TYPES } from '../../engine/webhooks/webhook.ts'
import type { ProblemCode } from '../http/problems.ts'
import { headers, jsonAnswer, type Problems } from './answers.ts'
import type { Json } from './json.ts'
import { ref } from './schemas.ts'

const LIMITS = ['RateLimit', 'RateLimit-Policy']
const SENT = [...LIMITS, 'Content-Length']
const TAGS = ['Webhooks']
const WEBHOOK_ID: Json = {
  name: 'webhookId',
  in: 'path',
  required: true,
  description: 'The webhook',
  schema: ref('WebhookId'),
}

const operation = (operationId: string, summary: string, responses: Json, more: Json = {}): Json => ({
  operationId,
  tags: TAGS,
  summary,
  ...more,
  responses,
})
const ofOne = (more: Json[] = []) => ({ parameters: [WEBHOOK_ID, ...more] })

/** Lists the paths of webhooks (docs/webhooks.md). @param codes what any request with a token may meet */
export function describeWebhookPaths(problems: Problems, codes: ProblemCode[]): Record<string, Json> {
  const answering = ({ responses, ...rest }: Json, more: ProblemCode[] = []): Json => ({
    ...rest,
    responses: { ...(responses as Json), ...problems.responses([...codes, 'forbidden', ...more]) },
  })
  const changing: ProblemCode[] = ['change_token_needed', 'busy', 'disk_full', 'read_only']
  const post = (each: Json) => answering(each, ['not_found', ...changing])
  return {
    '/webhooks': {
      get: answering(
        operation('listWebhooks', 'List all webhooks, without their secrets', {
          200: jsonAnswer('Oldest first', 'WebhookList', ...SENT),
        }),
      ),
      post: answering(
        operation(
          'createWebhook',
          'Create a webhook; its secret is shown only once',
          { 201: jsonAnswer('The webhook', 'WebhookWithSecret', ...SENT, 'Location') },
          { requestBody: { required: true, content: { 'application/json': { schema: ref('WebhookNew') } } } },
        ),
        changing,
      ),
    },
    '/webhooks/{webhookId}': {
      get: answering(
        operation('getWebhook', 'Get a webhook', { 200: jsonAnswer('The webhook', 'Webhook', ...SENT) }, ofOne()),
        ['not_found'],
      ),
      delete: post(
        operation(
          'removeWebhook',
          'Delete a webhook and its undelivered messages',
          { 204: { description: 'Removed', headers: headers(...LIMITS) } },
          ofOne(),
        ),
      ),
    },
    '/webhooks/{webhookId}/deliveries': {
      get: answering(
        operation(
          'listDeliveries',
          'List the latest delivery attempts of a webhook',
          { 200: jsonAnswer('Newest first', 'WebhookDeliveryList', ...SENT) },
          ofOne([{ $ref: '#/components/parameters/limit' }]),
        ),
        ['not_found'],
      ),
    },
    '/webhooks/{webhookId}/ping': {
      post: post(
        operation(
          'pingWebhook',
          'Send a webhook.ping message once, without retries',
          { 200: jsonAnswer('The delivery attempt', 'WebhookDelivery', ...SENT) },
          ofOne(),
        ),
      ),
    },
    '/webhooks/{webhookId}/secret': {
      post: post(
        operation(
          'rotateWebhookSecret',
          'Rotate the secret of a webhook; the old secret signs for one more day',
          { 200: jsonAnswer('The webhook', 'WebhookWithSecret', ...SENT) },
          ofOne(),
        ),
      ),
    },
    '/webhooks/{webhookId}/enable': {
      post: post(
        operation(
          'enableWebhook',
          'Re-enable a webhook',
          { 200: jsonAnswer('The webhook', 'Webhook', ...SENT) },
          ofOne(),
        ),
      ),
    },
  }
}

const HEADERS = [
  ['webhook-id', 'The message, the same for each try: what came before may be ignored'],
  ['webhook-timestamp', 'When it was sent, seconds since 1970'],
  ['webhook-signature', 'Signatures, between spaces: `v1,` and HMAC-SHA256 in base64'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))

/** Describes what is sent to webhooks, by the type of the event. */
export function describeMessages(): Json {
  const nameOf = (type: string) =>
    `${type.replace(/(^|\.)([a-z])/g, (_all, _dot, letter) => letter.toUpperCase())}Event`
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `on${nameOf(type)}`,
          tags: TAGS,
          summary: `The message ${type}`,
          parameters: HEADERS,
          requestBody: { required: true, content: { 'application/json': { schema: ref(nameOf(type)) } } },
          responses: {
            '2XX': { description: 'Taken' },
            410: { description: 'The webhook is disabled and gets no further messages' },
            default: { description: 'Failed: the message is retried later, not before Retry-After' },
          },
        },
      },
    ]),
  )
}
