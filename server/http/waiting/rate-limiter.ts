import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../engine/model/errors.ts'
import { ProblemError } from '../problems.ts'

/**
 * Rate-limits large bodies of each owner, in bytes: the first passes at once, each further one waits until those before
 * it are paid for. So an owner who sends one after the other uses only a small part of a core, and an owner who sends a
 * single body does not notice.
 */
export type RateLimiter = {
  /** @throws ProblemError too_many_requests if an owner's next large body would wait too long */
  requireTurn: (owner: string) => void
  /**
   * Waits for the turn of a body.
   *
   * @param signal of a client that may disconnect
   * @throws ProblemError too_many_requests at once if the wait would be too long; ServiceError canceled
   */
  turn: (owner: string, bytes: number, signal: AbortSignal) => Promise<void>
}

const OWNERS_MAX = 10_000
const WAIT_MAX_MS = 20_000

/** @param smallMaxBytes bodies up to this do not wait */
export function openRateLimiter({
  bytesPerMs,
  smallMaxBytes,
}: {
  bytesPerMs: number
  smallMaxBytes: number
}): RateLimiter {
  /** Time at which each owner's debt is paid. */
  const dues = new LRUCache<string, number>({ max: OWNERS_MAX })
  const waitOf = (owner: string) => {
    const waitMs = Math.max(0, (dues.get(owner) ?? 0) - performance.now())
    if (waitMs <= WAIT_MAX_MS) return waitMs
    const headers = { 'Retry-After': String(Math.ceil((waitMs - WAIT_MAX_MS) / 1000)) }
    const detail = 'Too many large descriptions of studies, or AOIs, of this token wait to be checked.'
    throw new ProblemError('too_many_requests', { detail, headers })
  }
  return {
    requireTurn: waitOf,
    turn: async (owner, bytes, signal) => {
      if (bytes <= smallMaxBytes) return
      const waitMs = waitOf(owner)
      dues.set(owner, performance.now() + waitMs + bytes / bytesPerMs)
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(refuseLeft)
    },
  }
}

function refuseLeft(cause: unknown): never {
  throw new ServiceError('canceled', 'the client left', { cause })
}
