import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit'
import type { Sessions } from '../engine/access/sessions.ts'
import type { TokenRecord, Tokens } from '../engine/access/tokens.ts'
import { ProblemError } from './problems.ts'
import { sessionToken } from './session.ts'

/** Counts failing answers per address, in bounded memory. */
export type Failures = {
  /** Waits the longer the more often this address failed lately, then throws 401, or 429 at once when it was too often. */
  refuse: (req: Request, headers: Record<string, string>) => Promise<never>
}

const FORGET_AFTER_MS = 60_000
const FIRST_DELAY_MS = 10
const LONGEST_DELAY_MS = 2000
const FAILURES_MAX = 300
const ADDRESSES_MAX = 10_000

export function countFailures(): Failures {
  const byAddress = new Map<string, { count: number; untilMs: number }>()

  function strike(address: string): { count: number; untilMs: number } {
    const nowMs = performance.now()
    const before = byAddress.get(address)
    const next = before && before.untilMs > nowMs ? before : { count: 0, untilMs: nowMs + FORGET_AFTER_MS }
    next.count++
    // Set anew, it is the map's last entry; the first is who failed longest ago.
    byAddress.delete(address)
    byAddress.set(address, next)
    if (byAddress.size > ADDRESSES_MAX) byAddress.delete(byAddress.keys().next().value as string)
    return next
  }

  return {
    refuse: async (req, headers) => {
      const { count, untilMs } = strike(ipKeyGenerator(req.ip ?? ''))
      if (count > FAILURES_MAX) {
        const seconds = Math.max(1, Math.ceil((untilMs - performance.now()) / 1000))
        throw new ProblemError('too_many_requests', { headers: { 'Retry-After': String(seconds) } })
      }
      await sleep(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1)), undefined, { ref: false })
      throw new ProblemError('unauthorized', { headers })
    },
  }
}

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
