import type { Request } from 'express'
import { UUID } from '../../engine/model/parameters.ts'

const BEARER = /^Bearer +(\S+)$/i
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i

/** Other places in which people put tokens. */
const WRONG_HEADERS = ['X-API-Key', 'API-Key', 'X-Access-Token', 'X-Token', 'Auth-Token', 'X-Auth', 'Token']
const RIGHT = 'send it as X-AUTH-TOKEN: TOKEN, or as Authorization: Bearer TOKEN'

/**
 * Returns the token that a request below /api2 offers; undefined for none, with which a session may stand in.
 * X-AUTH-TOKEN goes before Authorization, in which a proxy may send what it has asked for itself.
 *
 * @param takesBasic whether HTTP Basic counts, of what reads a table, since programs such as Excel can send nothing
 * else. Of reads alone: a browser that was once given a password sends it with whatever another site has it ask for.
 */
export function offeredToken(req: Request, takesBasic: boolean): string | undefined {
  return req.get('x-auth-token') ?? bearerToken(req) ?? (takesBasic ? basicPassword(req) : undefined)
}

/** Returns what Bearer or Basic offers as a token of operators; '' for none. */
export function operatorToken(req: Request): string {
  return bearerToken(req) ?? basicPassword(req) ?? ''
}

/** Returns the challenge of a refused request: Basic only for programs, since a browser would prompt for a password. */
export function challenge(req: Request, takesBasic: boolean): { 'WWW-Authenticate': string } {
  const isBrowser = req.get('sec-fetch-site') !== undefined || req.get('cookie') !== undefined
  const schemes = ['X-AUTH-TOKEN realm="gazette"', 'Bearer realm="gazette"']
  if (takesBasic && !isBrowser) schemes.push('Basic realm="gazette", charset="UTF-8"')
  return { 'WWW-Authenticate': schemes.join(', ') }
}

/** Says which header is right where another carries the token; undefined where none does. Never what a header holds. */
export function wrongHeader(req: Request, takesBasic: boolean): string | undefined {
  if (req.get('x-auth-token') !== undefined) return undefined
  const authorization = req.get('authorization')
  if (authorization !== undefined) {
    if (BEARER.test(authorization)) return undefined
    if (!BASIC.test(authorization)) return `Authorization carries no token in a way that is known here: ${RIGHT}.`
    if (takesBasic) return undefined
    return `HTTP Basic is taken by exports, files of jobs and pages under /ops alone: here, ${RIGHT}.`
  }
  const wrong = WRONG_HEADERS.find((name) => req.get(name) !== undefined)
  return wrong && `The header ${wrong} is not looked at for a token: ${RIGHT}.`
}

/** A token of ours: what else a proxy asks for is for the proxy alone. */
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
