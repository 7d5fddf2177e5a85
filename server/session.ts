import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Sessions } from '../engine/access/sessions.ts'
import type { TokenRecord, Tokens } from '../engine/access/tokens.ts'
import type { Failures } from './auth.ts'
import { onlyMethods } from './problems.ts'

/** A browser cannot be made to send this header by another site; a form or a link sends none. */
const OWN_HEADER = 'x-gazette-dashboard'
const SAFE_METHODS = ['GET', 'HEAD']

/**
 * The token of the session that a request's cookie names: null without one, for a token that is revoked or expired since,
 * and for a request that another site or another port made the browser send.
 */
export async function sessionToken(req: Request, sessions: Sessions, tokens: Tokens): Promise<TokenRecord | null> {
  const secret = cookieOf(req)
  if (secret === '' || !isOwnRequest(req)) return null
  const now = new Date()
  const tokenId = await sessions.find(secret, now)
  return tokenId === null ? null : tokens.findById(tokenId, now)
}

/** `GET`: who is signed in. `POST` with X-AUTH-TOKEN or X-SIGN-IN-CODE: signs in. `DELETE`: signs out. */
export function sessionRoutes(parts: {
  sessions: Sessions
  tokens: Tokens
  failures: Failures
  version: string
}): Router {
  const { sessions, tokens, failures, version } = parts
  const router = Router({ caseSensitive: true })
  const view = (token: TokenRecord | null) => ({
    version,
    signedIn: token !== null,
    token: token && { name: token.name, role: token.role, studies: token.studies, expiresAt: token.expiresAt },
  })
  const answer = (res: Response, status: number, body: unknown) => {
    res.setHeader('Cache-Control', 'no-store')
    res.status(status).json(body)
  }

  router
    .route('/session')
    .get(async (req, res) => answer(res, 200, view(await sessionToken(req, sessions, tokens))))
    .post(async (req, res) => {
      const token = isSameOrigin(req) ? await offeredToken(req) : null
      if (token === null) return failures.refuse(req, { 'WWW-Authenticate': 'X-AUTH-TOKEN realm="gazette"' })
      await sessions.end(cookieOf(req))
      const { secret, expiresAt } = await sessions.begin(token.id, new Date())
      res.cookie(cookieName(req), secret, { ...cookieOptions(req), expires: expiresAt })
      answer(res, 201, view(token))
    })
    .delete(async (req, res) => {
      if (isOwnRequest(req)) await sessions.end(cookieOf(req))
      res.clearCookie(cookieName(req), cookieOptions(req))
      res.setHeader('Cache-Control', 'no-store')
      res.status(204).end()
    })
    .all(onlyMethods('GET', 'HEAD', 'POST', 'DELETE'))

  async function offeredToken(req: Request): Promise<TokenRecord | null> {
    const now = new Date()
    const code = req.get('x-sign-in-code')
    if (code === undefined) return tokens.find(req.get('x-auth-token') ?? '', now)
    const tokenId = await sessions.redeem(code, now)
    return tokenId === null ? null : tokens.findById(tokenId, now)
  }

  return router
}

/** Lets the dashboard's session stand in for Basic on the pages for operators, for reading. */
export function letOperatorsIn(sessions: Sessions, tokens: Tokens, otherwise: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    const hasBasic = req.get('authorization') !== undefined
    const record = hasBasic || !SAFE_METHODS.includes(req.method) ? null : await sessionToken(req, sessions, tokens)
    if (record?.role !== 'ops') return otherwise(req, res, next)
    res.locals.token = record
    next()
  }
}

/** Reads may also be typed into the address bar; whatever changes something must come from our own page's code. */
function isOwnRequest(req: Request): boolean {
  if (SAFE_METHODS.includes(req.method)) {
    const site = req.get('sec-fetch-site') ?? 'same-origin'
    return site === 'same-origin' || site === 'none'
  }
  return req.get(OWN_HEADER) !== undefined && isSameOrigin(req)
}

function isSameOrigin(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = req.get('origin')
  return origin === undefined || origin === `${req.protocol}://${req.get('host')}`
}

/** Cookies do not tell ports apart, but two Gazettes on one machine must not sign each other out. */
function cookieName(req: Request): string {
  return `gazette_${/:(\d+)$/.exec(req.get('host') ?? '')?.[1] ?? 'session'}`
}

function cookieOptions(req: Request) {
  return { httpOnly: true, sameSite: 'strict', secure: req.secure, path: '/' } as const
}

function cookieOf(req: Request): string {
  const wanted = cookieName(req)
  for (const pair of (req.get('cookie') ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=')
    if (name === wanted) return value
  }
  return ''
}
