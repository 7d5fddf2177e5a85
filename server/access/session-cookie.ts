import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie } from 'cookie'
import type { Request } from 'express'
import type { Sessions } from '../../engine/access/sessions.ts'
import type { AdmittedToken } from '../../engine/access/token-file.ts'
import { ProblemError } from '../http/problems.ts'
import { isAtPublicOrigin, isSecure, publicOrigin } from '../http/public-origin.ts'
import type { FindTokens } from './reach.ts'

export const SAFE_METHODS = ['GET', 'HEAD']

/**
 * Returns the token of the session that the cookie of a request names. Returns null without a session, for a revoked or
 * expired token, and for a request that another site or port made the browser send.
 */
export async function sessionToken(
  req: Request,
  sessions: Sessions,
  tokens: FindTokens,
): Promise<AdmittedToken | null> {
  const secret = sessionSecret(req)
  if (secret === '' || !isAtPublicOrigin(req) || !isOwnRequest(req)) return null
  const now = new Date()
  const tokenId = await sessions.find(secret, now)
  return tokenId === null ? null : tokens.findById(tokenId, now)
}

/** Returns whether a request comes from our own page. Reads may also come from the address bar; changes may not. */
function isOwnRequest(req: Request): boolean {
  if (!SAFE_METHODS.includes(req.method)) return isSameOrigin(req)
  const site = req.get('sec-fetch-site') ?? 'same-origin'
  return site === 'same-origin' || site === 'none'
}

/**
 * Returns the change token of a session (CSRF token). Only our own page can read it, and must send it with each change,
 * so no other site can make a browser change anything.
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
 * Returns the name of the cookie. It contains the port: cookies ignore ports, but two servers on one machine must not
 * sign each other out. Over TLS, it has the prefix `__Host-`, so only this host can set it, for all of its paths.
 */
export function cookieName(req: Request): string {
  return `${isSecure(req) ? '__Host-' : ''}gazette_${/:(\d+)$/.exec(publicOrigin(req))?.[1] ?? 'session'}`
}

export function cookieOptions(req: Request) {
  return { httpOnly: true, sameSite: 'strict', secure: isSecure(req), path: '/' } as const
}

export function sessionSecret(req: Request): string {
  return parseCookie(req.get('cookie') ?? '')[cookieName(req)] ?? ''
}
