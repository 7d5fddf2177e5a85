import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie } from 'cookie'
import type { Request } from 'express'
import type { Sessions } from '../../engine/access/sessions.ts'
import type { TokenRecord } from '../../engine/access/token-file.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import { ProblemError } from '../http/problems.ts'
import { isAtPublicOrigin, publicOrigin } from '../http/public-origin.ts'

export const SAFE_METHODS = ['GET', 'HEAD']

/**
 * Returns the token of the session that the cookie of a request names; null without one, for a token that has been
 * revoked or has expired, and for a request that another site or another port made the browser send.
 */
export async function sessionToken(req: Request, sessions: Sessions, tokens: Tokens): Promise<TokenRecord | null> {
  const secret = sessionSecret(req)
  if (secret === '' || !isAtPublicOrigin(req) || !isOwnRequest(req)) return null
  const now = new Date()
  const tokenId = await sessions.find(secret, now)
  return tokenId === null ? null : tokens.findById(tokenId, now)
}

/** Reads may also be typed into the address bar; whatever changes something must come from our own page. */
function isOwnRequest(req: Request): boolean {
  if (!SAFE_METHODS.includes(req.method)) return isSameOrigin(req)
  const site = req.get('sec-fetch-site') ?? 'same-origin'
  return site === 'same-origin' || site === 'none'
}

/**
 * Returns the change token of a session, which its own page alone can read and has to send with each change, so that no
 * other site can make a browser change anything (CSRF).
 */
export function changeToken(secret: string): string {
  return createHmac('sha256', secret).update('change').digest('base64url')
}

/** Refuses a change by a session without its change token. @throws ProblemError change_token_needed */
export function requireChangeToken(req: Request): void {
  if (SAFE_METHODS.includes(req.method) || hasChangeToken(req)) return
  throw new ProblemError('change_token_needed')
}

export function hasChangeToken(req: Request): boolean {
  const given = Buffer.from(req.get('x-change-token') ?? '')
  const right = Buffer.from(changeToken(sessionSecret(req)))
  return given.length === right.length && timingSafeEqual(given, right)
}

export function isSameOrigin(req: Request): boolean {
  if (!isAtPublicOrigin(req)) return false
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = req.get('origin')
  return origin === undefined || origin === publicOrigin(req)
}

/**
 * Returns the name of the cookie, which has the port in it: cookies do not distinguish ports, but two Gazettes on one
 * machine must not sign each other out. By TLS, browsers take one of that prefix from this host alone, for all of it.
 */
export function cookieName(req: Request): string {
  return `${req.secure ? '__Host-' : ''}gazette_${/:(\d+)$/.exec(publicOrigin(req))?.[1] ?? 'session'}`
}

export function cookieOptions(req: Request) {
  return { httpOnly: true, sameSite: 'strict', secure: req.secure, path: '/' } as const
}

export function sessionSecret(req: Request): string {
  return parseCookie(req.get('cookie') ?? '')[cookieName(req)] ?? ''
}
