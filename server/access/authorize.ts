import type { RequestHandler, Response } from 'express'
import { rateLimit, type Store } from 'express-rate-limit'
import type { Sessions } from '../../engine/access/sessions.ts'
import type { TokenRecord, Tokens } from '../../engine/access/tokens.ts'
import { ProblemError } from '../http/problems.ts'
import type { Failures } from './failures.ts'
import { SAFE_METHODS, sessionToken } from './session-cookie.ts'

/** Lets only requests with a valid X-AUTH-TOKEN, or without one a session, pass; `tokenOf` says whose it is. */
export function requireToken(tokens: Tokens, failures: Failures, sessions: Sessions): RequestHandler {
  return async (req, res, next) => {
    const given = req.get('x-auth-token')
    const record =
      given === undefined ? await sessionToken(req, sessions, tokens) : await tokens.find(given, new Date())
    if (record === null) return failures.refuse(req, { 'WWW-Authenticate': 'X-AUTH-TOKEN realm="gazette"' })
    res.locals.token = record
    next()
  }
}

/** Lets only operators pass: HTTP Basic, any user, an `ops` token as password. */
export function requireOperator(tokens: Tokens, failures: Failures): RequestHandler {
  return async (req, res, next) => {
    const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(req.get('authorization') ?? '')?.[1] ?? ''
    const credentials = Buffer.from(encoded, 'base64').toString('utf8')
    const record = await tokens.find(credentials.slice(credentials.indexOf(':') + 1), new Date())
    if (record?.role !== 'ops')
      return failures.refuse(req, { 'WWW-Authenticate': 'Basic realm="Gazette operators", charset="UTF-8"' })
    res.locals.token = record
    next()
  }
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

const WINDOW_MS = 60_000

/**
 * Hits of each token in its present minute. The library's own store hands out the object that it counts in: of many requests
 * that come at once, each would see the hits of all, and be refused.
 */
function countHits(): Store {
  const byToken = new Map<string, { totalHits: number; resetTime: Date }>()
  return {
    localKeys: true,
    increment: (tokenId) => {
      const now = Date.now()
      const before = byToken.get(tokenId)
      const isOver = before === undefined || before.resetTime.getTime() <= now
      const hits = isOver ? { totalHits: 0, resetTime: new Date(now + WINDOW_MS) } : before
      hits.totalHits++
      byToken.set(tokenId, hits)
      return { ...hits }
    },
    decrement: () => undefined,
    resetKey: (tokenId) => void byToken.delete(tokenId),
  }
}

/** Limits requests per token, and says so in `RateLimit` headers. */
export function limitRequests(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    store: countHits(),
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_req, res) => tokenOf(res).id,
    handler: () => {
      throw new ProblemError('too_many_requests')
    },
    // Its checks are about addresses as keys, which are not ours.
    validate: false,
  })
}

export function tokenOf(res: Response): TokenRecord {
  return res.locals.token as TokenRecord
}

export function mayRead(token: TokenRecord, studyId: string): boolean {
  return token.studies === 'all' || token.studies.includes(studyId.toLowerCase())
}
