import { createHmac, randomBytes } from 'node:crypto'

/** A secret of Standard Webhooks: `whsec_` and base64. `endsAt`, RFC 3339, is when it stops to sign; null for never. */
export type Secret = { secret: string; endsAt: string | null }

const PREFIX = 'whsec_'
/** The specification has 24 to 64. */
const SECRET_BYTES = 32

export function newSecret(): Secret {
  return { secret: PREFIX + randomBytes(SECRET_BYTES).toString('base64'), endsAt: null }
}

/**
 * Returns the headers by which a receiver knows who sent a message and when, as Standard Webhooks has them: a signature
 * by each secret that still signs.
 *
 * @param id the same for each try at a message
 * @param now the time of this try
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
