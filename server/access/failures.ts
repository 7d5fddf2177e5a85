import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import { LRUCache } from 'lru-cache'
import { ProblemError } from '../http/problems.ts'

/** Rate-limits failed attempts for each address, in an LRU cache. */
export type Failures = {
  /**
   * Delays the answer, with exponential back-off for repeated failures of this address, then throws 401 (or 404), or
   * 429 at once after too many.
   */
  refuse: (
    req: Request,
    headers: Record<string, string>,
    detail?: string,
    code?: 'unauthorized' | 'not_found',
  ) => Promise<never>
}

const FORGET_AFTER_MS = 60_000
const FIRST_DELAY_MS = 10
const LONGEST_DELAY_MS = 2000
const FAILURES_MAX = 300
/** Limit for all addresses behind one proxy, whether or not the proxy is honest. */
const FAILURES_PER_PEER_MAX = 1000
const ADDRESSES_MAX = 10_000

export function countFailures(): Failures {
  // An entry expires a fixed time after its first failure; the oldest is evicted.
  const counts = new LRUCache<string, number>({ max: ADDRESSES_MAX, ttl: FORGET_AFTER_MS, noUpdateTTL: true })
  const countOne = (key: string) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  }
  return {
    refuse: async (req, headers, detail, code = 'unauthorized') => {
      const address = ipKeyGenerator(req.ip ?? '')
      const peer = `peer ${req.socket.remoteAddress}`
      const count = countOne(address)
      const isTooOften = count > FAILURES_MAX || countOne(peer) > FAILURES_PER_PEER_MAX
      if (isTooOften) {
        const leftMs = counts.getRemainingTTL(count > FAILURES_MAX ? address : peer)
        const seconds = Math.max(1, Math.ceil(leftMs / 1000))
        throw new ProblemError('too_many_requests', { headers: { 'Retry-After': String(seconds) } })
      }
      await sleep(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1)), undefined, { ref: false })
      throw new ProblemError(code, { headers, detail })
    },
  }
}
