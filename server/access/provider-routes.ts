import { createHmac, randomBytes } from 'node:crypto'
import { parseCookie } from 'cookie'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Logger } from 'pino'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import { SESSION_HOURS, type Sessions } from '../../engine/access/sessions.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import { accessOf, type OidcConfig } from '../../engine/model/oidc-settings.ts'
import { addPage } from '../http/add-path.ts'
import { publicOrigin, requirePublicOrigin } from '../http/public-origin.ts'
import { queryOf } from '../http/query.ts'
import { type Identity, type Keys, type Provider, SignInError } from './provider.ts'
import { cookieName, cookieOptions, sessionSecret } from './session-cookie.ts'

/** Routes for signing in with OpenID Connect: pages for the browser, not part of the API. */
export const PROVIDER_PATH = '/sign-in/provider'

const MINUTES = 10
const GROUPS_TOLD_MAX = 20

type Parts = {
  config: OidcConfig
  provider: Provider
  sessions: Sessions
  tokens: Tokens
  audit: AuditLog
  limit: RequestHandler
  log: Logger
}

/**
 * Returns the routes for signing in at a provider: redirect, callback and sign-out. Errors go to the sign-in page in
 * the fragment of its address.
 */
export function providerRoutes(parts: Parts): Router {
  const { provider, sessions, limit, log } = parts
  const router = Router({ caseSensitive: true })
  const route = (path: string, handler: (req: Request, res: Response) => Promise<void>) =>
    addPage(router, PROVIDER_PATH + path, limit, async (req, res) => {
      res.setHeader('Cache-Control', 'no-store')
      requirePublicOrigin(req)
      await handler(req, res).catch((error: unknown) => {
        if (!(error instanceof SignInError)) throw error
        log.warn({ fault: error.fault, reason: error.reason }, 'nobody was signed in')
        res.redirect(303, `/sign-in#problem=${error.fault}`)
      })
    })

  route('', async (req, res) => {
    const endsMs = Date.now() + MINUTES * 60_000
    const secret = `${randomBytes(32).toString('base64url')}.${endsMs.toString(36)}`
    const there = await provider.begin(callbackOf(req), keysOf(secret))
    const to = Buffer.from(pathWithin(queryOf(req.url).get('to')?.[0])).toString('base64url')
    res.cookie(cookieOf(req), `${secret}.${to}`, { ...waitingOptions(req), maxAge: MINUTES * 60_000 })
    res.redirect(303, there.href)
  })

  route('/callback', async (req, res) => {
    const [, secret, end, to] =
      /^([\w-]{43}\.([0-9a-z]{8}))\.([\w-]*)$/.exec(parseCookie(req.get('cookie') ?? '')[cookieOf(req)] ?? '') ?? []
    res.clearCookie(cookieOf(req), waitingOptions(req))
    if (secret === undefined) throw new SignInError('expired', 'there is no cookie of a sign-in')
    // The state is also derived from the expiry, so that nobody can extend it.
    const until = new Date(Number.parseInt(end, 36))
    if (until.getTime() <= Date.now()) throw new SignInError('expired', 'the cookie of the sign-in is too old')
    const callback = new URL(callbackOf(req))
    callback.search = new URL(req.originalUrl, callback).search
    const identity = await provider.finish(callback, keysOf(secret))
    // Providers should accept a code only once, but not all do. Only verified sign-ins are recorded, so that nobody
    // else can fill the disk.
    if (!(await sessions.useSignIn(secret, until))) throw new SignInError('expired', 'the sign-in was used before')
    const tokenId = await admit(identity, parts)
    await sessions.end(sessionSecret(req))
    const { secret: session, expiresAt } = await sessions.begin(tokenId, new Date())
    res.cookie(cookieName(req), session, { ...cookieOptions(req), expires: expiresAt })
    res.redirect(303, pathWithin(Buffer.from(to, 'base64url').toString()))
  })

  route('/out', async (req, res) => {
    const there = await provider.leave(`${publicOrigin(req)}/sign-in`)
    res.redirect(303, there?.href ?? '/sign-in')
  })
  return router
}

/** Creates the token of a person who signed in, if one of their groups has a role. Returns the token's id. */
async function admit({ subject, name, groups }: Identity, { config, tokens, audit }: Parts): Promise<string> {
  const access = accessOf(config.groups, groups)
  if (access === null) {
    const told = groups.slice(0, GROUPS_TOLD_MAX).join('; ')
    throw new SignInError('no-group', told === '' ? `no group in ${config.groupsClaim}` : `of these groups: ${told}`)
  }
  const now = new Date()
  const until = new Date(now.getTime() + SESSION_HOURS * 3_600_000)
  const { id } = await tokens.admit({ issuer: config.issuer, subject, name, ...access }, until, now)
  audit.write({ event: 'signed in', by: { token: id } }, now)
  return id
}

/**
 * Derives state, nonce and verifier of a sign-in from a secret that only the cookie of its browser holds. So the server
 * stores nothing, and none of these values reveals the others.
 */
function keysOf(secret: string): Keys {
  const derived = (what: string) => createHmac('sha256', secret).update(what).digest('base64url')
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') }
}

function callbackOf(req: Request): string {
  return `${publicOrigin(req)}${PROVIDER_PATH}/callback`
}

function cookieOf(req: Request): string {
  return `${cookieName(req)}_sign_in`
}

/** `lax`, since the browser returns from another site, and would then not send a `strict` cookie. */
function waitingOptions(req: Request) {
  return { ...cookieOptions(req), sameSite: 'lax' } as const
}

/** Returns a path of this server; the start page for anything else. */
function pathWithin(to = '/'): string {
  return /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(to) && !to.startsWith('/sign-in') ? to : '/'
}
