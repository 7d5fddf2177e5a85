import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import type { Sessions } from '../../engine/access/sessions.ts'
import type { AdmittedToken } from '../../engine/access/token-file.ts'
import { projectsIn } from '../../engine/model/projects.ts'
import { ProblemError } from '../http/problems.ts'
import { noteDeed } from '../http/request-log.ts'
import type { Answers } from '../routes/route.ts'
import type { SESSION_ROUTES } from '../routes/session.ts'
import type { Session } from '../schemas/dashboard.ts'
import { tokenOf } from './authorize.ts'
import type { Failures } from './failures.ts'
import type { FindTokens } from './reach.ts'
import {
  changeToken,
  cookieName,
  cookieOptions,
  hasChangeToken,
  isSameOrigin,
  sessionSecret,
  sessionToken,
} from './session-cookie.ts'

type SessionParts = {
  sessions: Sessions
  tokens: FindTokens
  audit: AuditLog
  failures: Failures
  limit: RequestHandler
  version: string
  program: string
  /** Provider for signing in; null for none. */
  issuer: string | null
}

/** Returns the handlers of sessions. */
export function sessionRoutes(parts: SessionParts): Answers<typeof SESSION_ROUTES> {
  const { sessions, tokens, audit, limit } = parts
  const answer = (res: Response, status: number, token: AdmittedToken | null, secret: string) => {
    res.setHeader('Cache-Control', 'no-store')
    res.status(status).json(sessionView(parts, token, secret))
  }

  return {
    getSession: [
      async (req, res, next) => {
        res.locals.token = (await sessionToken(req, sessions, tokens)) ?? undefined
        next()
      },
      limit,
      (req, res) => answer(res, 200, res.locals.token ?? null, sessionSecret(req)),
    ],
    beginSession: [
      identifying(parts),
      limit,
      async (req, res) => {
        const token = tokenOf(res)
        await sessions.end(sessionSecret(req))
        const now = new Date()
        const { secret, expiresAt } = await sessions.begin(token.id, now)
        if (token.link !== undefined) noteDeed(audit, res, { event: 'link opened' })
        res.cookie(cookieName(req), secret, { ...cookieOptions(req), expires: expiresAt })
        answer(res, 201, token, secret)
      },
    ],
    endSession: [
      limit,
      async (req, res) => {
        if (isSameOrigin(req) && hasChangeToken(req)) await sessions.end(sessionSecret(req))
        res.clearCookie(cookieName(req), cookieOptions(req))
        res.setHeader('Cache-Control', 'no-store')
        res.status(204).end()
      },
    ],
  }
}

function sessionView(
  { version, program, issuer }: SessionParts,
  token: AdmittedToken | null,
  secret: string,
): z.infer<typeof Session> {
  return {
    version,
    program,
    signedIn: token !== null,
    changeToken: token && changeToken(secret),
    provider: issuer === null ? null : { name: new URL(issuer).host, isOwn: token?.issuer === issuer },
    token: token && {
      ...{ name: token.name, role: token.role, studies: token.studies, expiresAt: token.expiresAt },
      projects: projectsIn(token.reach),
    },
    link: token?.link ? { ...token.link, madeBy: token.link.madeBy.name } : null,
  }
}

/** Returns the middleware that finds the token with which a session is to begin. */
function identifying({ sessions, tokens, failures }: SessionParts) {
  const offeredToken = async (req: Request): Promise<AdmittedToken | null> => {
    const now = new Date()
    const code = req.get('x-sign-in-code')
    if (code === undefined) return tokens.find(req.get('x-auth-token') ?? '', now)
    const tokenId = await sessions.redeem(code, now)
    return tokenId === null ? null : tokens.findById(tokenId, now)
  }
  return async (req: Request, res: Response, next: () => void): Promise<void> => {
    const token = isSameOrigin(req) ? await offeredToken(req) : null
    // A link to an export is a file, and no page.
    if (token === null || token.link?.page === 'export')
      return failures.refuse(req, { 'WWW-Authenticate': 'X-AUTH-TOKEN realm="gazette"' })
    // A token that stands in a web page must not start a session.
    if (token.role === 'collect') throw new ProblemError('forbidden')
    res.locals.token = token
    next()
  }
}
