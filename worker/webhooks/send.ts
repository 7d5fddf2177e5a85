import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type BlockList, isIP } from 'node:net'
import { VERSION } from '../../engine/model/version.ts'
import { signedHeaders } from '../../engine/webhooks/sign.ts'
import type { Webhook } from '../../engine/webhooks/webhook.ts'
import { checkedLookup, RefusedAddress, type Resolve, requireAllowed } from './addresses.ts'

/** Result of one request. `status` is null if the receiver did not answer; `error` says why the try failed. */
export type SendResult = { status: number | null; error: string | null; ms: number; retryAfterMs: number | null }

/** Dependencies of a request; `resolve` is for tests. */
export type SendOptions = { allowed: BlockList; timeoutMs?: number; resolve?: Resolve }

/** Timeout of a try; the specification recommends 15 to 30 s. */
const TIMEOUT_MS = 20_000
const ANSWER_MAX_BYTES = 64 * 1024
const URL_MAX_CHARACTERS = 2000

/** Returns the rule that an address for a webhook breaks; null if it is valid. The host is checked at each try. */
export function addressFault(address: string, allowsPlain: boolean): string | null {
  if (address.length > URL_MAX_CHARACTERS) return `must have at most ${URL_MAX_CHARACTERS} characters`
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol === 'http:' && !allowsPlain)
    return 'must begin with https://, since WEBHOOK_NETWORKS names no network that plain HTTP may go to'
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    return 'must be an address such as https://example.org/hook'
  if (url.username !== '' || url.password !== '') return 'must hold no user and no password'
  if (url.hash !== '') return 'must have no fragment (#)'
  return null
}

/**
 * Sends a message: signed, over a connection of its own to a checked address, without following redirects. Any failure
 * is in the result.
 *
 * @throws only if `signal` is aborted
 */
export async function sendOnce(
  { url, secrets }: Pick<Webhook, 'url' | 'secrets'>,
  { id, body }: { id: string; body: string },
  { allowed, timeoutMs = TIMEOUT_MS, resolve }: SendOptions,
  signal: AbortSignal,
): Promise<SendResult> {
  const startedMs = performance.now()
  const late = AbortSignal.timeout(timeoutMs)
  const ms = () => Math.round(performance.now() - startedMs)
  try {
    const target = new URL(url)
    const isPlain = target.protocol === 'http:'
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0) requireAllowed(host, isPlain, allowed)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': `Gazette/${VERSION}`,
      ...signedHeaders(secrets, id, body, new Date()),
    }
    const options = { method: 'POST', headers, agent: false, lookup: checkedLookup(isPlain, allowed, resolve) }
    const { status, retryAfter } = await answerOf(target, options, body, AbortSignal.any([signal, late]))
    const isSuccess = status >= 200 && status < 300
    const error = isSuccess ? null : `answered ${status}`
    return { status, error, ms: ms(), retryAfterMs: retryAfterMs(retryAfter) }
  } catch (error) {
    if (signal.aborted) throw error
    return {
      status: null,
      error: late.aborted ? `no answer in ${timeoutMs} ms` : told(error),
      ms: ms(),
      retryAfterMs: null,
    }
  }
}

type Answer = { status: number; retryAfter: string | undefined }

function answerOf(url: URL, options: object, body: string, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'http:' ? requestHttp : requestHttps
    const made = request(url, { ...options, signal }, (response) => {
      const answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }
      let bytes = 0
      // The body does not matter; a little of it is read, so that the receiver can finish its answer.
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > ANSWER_MAX_BYTES) made.destroy()
      })
      response.once('error', () => undefined).once('close', () => resolve(answer))
    })
    made.on('error', reject).end(body)
  })
}

/** Parses Retry-After: seconds, or a date. */
function retryAfterMs(text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return ms > 0 ? ms : null
}

/** Describes an error for the log of deliveries: a rule, or the system's error code, without addresses. */
function told(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
