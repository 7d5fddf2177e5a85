import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit'
import { LRUCache } from 'lru-cache'
import type { Sessions } from '../../engine/access/sessions.ts'
import type { AdmittedToken } from '../../engine/access/token-file.ts'
import { ProblemError } from '../http/problems.ts'
import type { Failures } from './failures.ts'
import { challenge, offeredToken, operatorToken, wrongHeader } from './offered-token.ts'
import type { FindTokens } from './reach.ts'
import { requireChangeToken, SAFE_METHODS, sessionToken } from './session-cookie.ts'

/**
 * Authenticates requests below /api2: lets only requests with a valid token or session pass; `tokenOf` returns the
 * token. With a session, a change also needs its change token.
 */
export function requireToken(tokens: FindTokens, failures: Failures, sessions: Sessions): RequestHandler {
  return async (req, res, next) => {
    // The link to an export came in the path, and has led here.
    if (res.locals.token !== undefined) return next()
    const isRead = SAFE_METHODS.includes(req.method)
    const given = offeredToken(req, isRead)
    const record =
      given === undefined ? await sessionToken(req, sessions, tokens) : await tokens.find(given, new Date())
    // A link is for browsers: its secret starts a session, and is not a token.
    if (record === null || (given !== undefined && record.role === 'link'))
      return failures.refuse(req, challenge(req, isRead), wrongHeader(req, isRead))
    if (given === undefined) requireChangeToken(req)
    res.locals.token = record
    next()
  }
}

const OPERATORS = { 'WWW-Authenticate': 'Basic realm="Gazette operators", charset="UTF-8"' }
const OPERATORS_DETAIL =
  'The request carries no valid token: pages under /ops take an ops token as X-AUTH-TOKEN: TOKEN, as Authorization: Bearer TOKEN, or as the password of HTTP Basic.'

/** Lets only operators pass: an `ops` token in a header, or as the password of HTTP Basic with any user. */
export function requireOperator(tokens: FindTokens, failures: Failures): RequestHandler {
  return async (req, res, next) => {
    const record = await tokens.find(operatorToken(req), new Date())
    if (record?.role !== 'ops') return failures.refuse(req, OPERATORS, OPERATORS_DETAIL)
    res.locals.token = record
    next()
  }
}

/** Accepts the dashboard's session in place of HTTP Basic on the pages for operators, only for reading. */
export function letOperatorsIn(sessions: Sessions, tokens: FindTokens, otherwise: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    const hasToken = req.get('authorization') !== undefined || req.get('x-auth-token') !== undefined
    const record = hasToken || !SAFE_METHODS.includes(req.method) ? null : await sessionToken(req, sessions, tokens)
    if (record?.role !== 'ops') return otherwise(req, res, next)
    res.locals.token = record
    next()
  }
}

const WINDOW_MS = 60_000
const CLIENTS_MAX = 10_000
/** Rate limit of requests without a token, per minute and address. */
const OPEN_PER_MINUTE = 1200
/**
 * Number of requests that a refused query counts as, since finding all faults and suggestions takes longer than most
 * answers.
 */
const REFUSED_COUNTS = 5

/**
 * Returns the store of the rate limiter: the hits of each client in its current minute, in an LRU cache. The library's
 * own store returns the object in which it counts, so each of many concurrent requests would see the hits of all and be
 * refused.
 */
function countHits(): Store & { add: (client: string, hits: number) => number } {
  const counts = new LRUCache<string, number>({ max: CLIENTS_MAX, ttl: WINDOW_MS, noUpdateTTL: true })
  const add = (client: string, hits: number) => {
    const total = (counts.get(client) ?? 0) + hits
    counts.set(client, total)
    return total
  }
  return {
    localKeys: true,
    add,
    increment: (client) => ({
      totalHits: add(client, 1),
      resetTime: new Date(Date.now() + counts.getRemainingTTL(client)),
    }),
    decrement: () => undefined,
    resetKey: (client) => void counts.delete(client),
  }
}

/** Rate-limits requests per token, or per address without a token, and reports the limits in `RateLimit` headers. */
export function limitRequests(requestsPerMinute: number): RequestHandler {
  const hits = countHits()
  const isKnown = (res: Response) => res.locals.token !== undefined
  const clientOf = (req: Request, res: Response) => (isKnown(res) ? tokenOf(res).id : ipKeyGenerator(req.ip ?? ''))
  const limit = rateLimit({
    windowMs: WINDOW_MS,
    store: hits,
    limit: (_req, res) => (isKnown(res) ? requestsPerMinute : OPEN_PER_MINUTE),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientOf,
    handler: () => {
      throw new ProblemError('too_many_requests')
    },
    validate: false,
  })
  return (req, res, next) => {
    const settle = () => {
      if (res.statusCode === 400) hits.add(clientOf(req, res), REFUSED_COUNTS - 1)
    }
    if (req.url.includes('?')) res.once('finish', settle)
    return limit(req, res, next)
  }
}

export function tokenOf(res: Response): AdmittedToken {
  return res.locals.token as AdmittedToken
}

/** Actions on a study, each with the roles that may perform it. */
const MAY = {
  read: ['link', 'read', 'write', 'ops'],
  write: ['write', 'ops'],
  /** Send participants. */
  collect: ['collect', 'write', 'ops'],
} as const
export type Deed = keyof typeof MAY

/** Returns whether a token may perform an action on a study, whether or not the study exists. */
export function may(deed: Deed, { role, studies }: AdmittedToken, studyId: string): boolean {
  return (
    (MAY[deed] as readonly string[]).includes(role) && (studies === 'all' || studies.includes(studyId.toLowerCase()))
  )
}

/** Lets only tokens pass whose role allows an action, on any study. @throws ProblemError forbidden */
export function requireRole(deed: Deed): RequestHandler {
  return (_req, res, next) => {
    if (!(MAY[deed] as readonly string[]).includes(tokenOf(res).role)) throw new ProblemError('forbidden')
    next()
  }
}

/** Returns the studies that a token may read. */
export function readable({ role, studies }: AdmittedToken): string[] | 'all' {
  return role === 'collect' ? [] : studies
}
