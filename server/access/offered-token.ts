import type { Request } from 'express'
import { UUID } from '../../engine/model/parameters.ts'

const BEARER = /^Bearer +(\S+)$/i
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i

/** Other headers in which people send tokens. */
const WRONG_HEADERS = ['X-API-Key', 'API-Key', 'X-Access-Token', 'X-Token', 'Auth-Token', 'X-Auth', 'Token']
const RIGHT = 'send it as X-AUTH-TOKEN: TOKEN, or as Authorization: Bearer TOKEN'

/**
 * Returns the token that a request below /api2 offers; undefined if there is none, so that a session may count.
 * X-AUTH-TOKEN takes precedence over Authorization, which a proxy may use for credentials of its own.
 *
 * @param isRead whether HTTP Basic counts, for programs such as Excel that know nothing else: a browser that has
 *   stored a password also sends it with changes that another site triggers
 */
export function offeredToken(req: Request, isRead: boolean): string | undefined {
  return req.get('x-auth-token') ?? bearerToken(req) ?? (isRead ? basicPassword(req) : undefined)
}

/** Returns the operator token that a request offers; '' if there is none. */
export function operatorToken(req: Request): string {
  return req.get('x-auth-token') ?? bearerToken(req) ?? basicPassword(req) ?? ''
}

/**
 * Returns the challenge for a refused request: Basic only for programs, since a browser would prompt for a password.
 */
export function challenge(req: Request, isRead: boolean): { 'WWW-Authenticate': string } {
  const isBrowser = req.get('sec-fetch-site') !== undefined || req.get('cookie') !== undefined
  const schemes = ['X-AUTH-TOKEN realm="gazette"', 'Bearer realm="gazette"']
  if (isRead && !isBrowser) schemes.push('Basic realm="gazette", charset="UTF-8"')
  return { 'WWW-Authenticate': schemes.join(', ') }
}

/**
 * Names the right header if another one carries the token; undefined if none does. Never reveals the content of a
 * header.
 */
export function wrongHeader(req: Request, isRead: boolean): string | undefined {
  if (req.get('x-auth-token') !== undefined) return undefined
  const authorization = req.get('authorization')
  if (authorization !== undefined) {
    if (BEARER.test(authorization)) return undefined
    if (!BASIC.test(authorization)) return `Authorization carries no token in a way that is known here: ${RIGHT}.`
    if (isRead) return undefined
    return `HTTP Basic only reads (GET and HEAD), since a browser sends it along from other sites: for changes, ${RIGHT}.`
  }
  const wrong = WRONG_HEADERS.find((name) => req.get(name) !== undefined)
  return wrong && `The header ${wrong} is not looked at for a token: ${RIGHT}.`
}

/** Matches a token of Gazette; any other credentials are meant for a proxy. */
function bearerToken(req: Request): string | undefined {
  const token = BEARER.exec(req.get('authorization') ?? '')?.[1]
  return token !== undefined && UUID.test(token) ? token : undefined
}

function basicPassword(req: Request): string | undefined {
  const encoded = BASIC.exec(req.get('authorization') ?? '')?.[1]
  if (encoded === undefined) return undefined
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const password = credentials.slice(credentials.indexOf(':') + 1)
  return UUID.test(password) ? password : undefined
}
