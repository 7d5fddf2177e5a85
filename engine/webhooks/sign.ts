import { createHmac, randomBytes } from 'node:crypto'

/**
 * A secret of Standard Webhooks: `whsec_` and base64. `endsAt`, RFC 3339, is the time until which it signs; null for
 * ever.
 */
export type Secret = { secret: string; endsAt: string | null }

const PREFIX = 'whsec_'
/** Length in bytes; the specification allows 24 to 64. */
const SECRET_BYTES = 32

export function newSecret(): Secret {
  return { secret: PREFIX + randomBytes(SECRET_BYTES).toString('base64'), endsAt: null }
}

/**
 * Returns the headers of Standard Webhooks, which authenticate a message and its time: one signature by each valid
 * secret.
 *
 * @param id same for each try of a message
 * @param now time of this try
 */
export function signedHeaders(secrets: Secret[], id: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = secrets
    .filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now.getTime())
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
