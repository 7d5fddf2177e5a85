import { EVENT_TYPES } from '../../engine/webhooks/webhook.ts'
import type { Json } from '../routes/parameter.ts'
import { ref } from './schemas.ts'

const HEADERS = [
  ['webhook-id', 'Id of the message, the same for each try; ignore messages that you received before'],
  ['webhook-timestamp', 'Time of the try, in seconds since 1970'],
  ['webhook-signature', 'Signatures, separated by spaces: `v1,` and HMAC-SHA256 in base64'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))

/** Describes the messages to webhooks, by the type of the event. */
export function describeMessages(): Json {
  const nameOf = (type: string) =>
    `${type.replace(/(^|\.)([a-z])/g, (_all, _dot, letter) => letter.toUpperCase())}Event`
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `on${nameOf(type)}`,
          tags: ['Webhooks'],
          summary: `The message ${type}`,
          parameters: HEADERS,
          requestBody: { required: true, content: { 'application/json': { schema: ref(nameOf(type)) } } },
          responses: {
            '2XX': { description: 'Accepted' },
            410: { description: 'The webhook is disabled and gets no further messages' },
            default: { description: 'Failed: the message is retried later, not before Retry-After' },
          },
        },
      },
    ]),
  )
}
