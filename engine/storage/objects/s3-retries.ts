import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { isCode } from '../../model/system-errors.ts'

/** Delays between tries: doubled each time, each shortened by up to a half at random. */
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 5000
/** Connections at once, as by default in the SDK. */
const CONNECTIONS_MAX = 50

type Strategy = Exclude<NonNullable<S3ClientConfig['retryStrategy']>, { retry: unknown }>
type Token = ReturnType<typeof tokenOf> & { isFreshened: boolean }

/**
 * Returns how requests to a store are retried: on a connection of their own, and later and later. Of the connections
 * that wait for the next request, a firewall or a load balancer may have dropped all, of which Node learns one by one
 * as it writes. So a first loss costs no try, and closes the others that wait. The SDK's own strategy would take the
 * next one at once, and no longer retry at all after a few hundred retries.
 *
 * @param tries of a request, at most
 */
export function s3Retries(tries: number): {
  retryStrategy: Strategy
  agents: { httpAgent: Agent; httpsAgent: TlsAgent }
} {
  const options = { keepAlive: true, maxSockets: CONNECTIONS_MAX }
  const agents = { httpAgent: new Agent(options), httpsAgent: new TlsAgent(options) }
  const closeWaiting = () => {
    for (const { freeSockets } of Object.values(agents))
      for (const socket of Object.values(freeSockets).flat()) socket?.destroy()
  }
  const refresh: Strategy['refreshRetryTokenForRetry'] = async (token, { error, errorType, retryAfterHint }) => {
    const { isFreshened } = token as Token
    const count = token.getRetryCount()
    const isLost = isCode(error, 'ECONNRESET', 'EPIPE')
    if (isLost) closeWaiting()
    if (isLost && !isFreshened) return { ...tokenOf(count, 0), isFreshened: true }
    if (errorType !== 'TRANSIENT' && errorType !== 'THROTTLING') throw error
    if (count + 1 >= tries) throw error
    const backOffMs = FIRST_DELAY_MS * 2 ** count * (1 - Math.random() / 2)
    const askedMs = retryAfterHint === undefined ? 0 : retryAfterHint.getTime() - Date.now()
    return { ...tokenOf(count + 1, Math.min(LONGEST_DELAY_MS, Math.max(backOffMs, askedMs))), isFreshened }
  }
  return {
    retryStrategy: {
      acquireInitialRetryToken: async () => tokenOf(0, 0),
      refreshRetryTokenForRetry: refresh,
      recordSuccess: () => {},
    },
    agents,
  }
}

function tokenOf(retries: number, delayMs: number) {
  return { getRetryCount: () => retries, getRetryDelay: () => delayMs, getRetryCost: () => undefined }
}
