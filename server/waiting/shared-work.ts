import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Claim, FairSemaphore } from './fair-semaphore.ts'

/**
 * Work for which clients wait. It coalesces identical requests, stops work when its last client disconnects, and caches
 * results for a while.
 */
export type SharedWork<T> = {
  /**
   * Returns a result that is cached or in progress under one of the keys. If there is none, computes it under the last
   * key, when it is the owner's turn. Call `release` once the result is sent: until then, it takes memory. @param
   * request.owner whose turn it takes
   *
   * @param request.signal of a client that may disconnect
   * @throws ServiceError overloaded, canceled; errors of `compute`
   */
  ask: (request: {
    keys: string[]
    owner: string
    signal: AbortSignal
    compute: (signal: AbortSignal) => Promise<T>
  }) => Promise<{ value: T; release: () => void }>
  /** Returns a result that is cached under one of the keys, without computing anything; null if there is none. */
  kept: (keys: string[]) => Promise<T> | null
  /** Size of all results that have not been released. */
  held: () => number
}

/** Size in bytes, null until it is computed. */
type Work<T> = { promise: Promise<T>; clients: number; stop: AbortController; claim: Claim; size: number | null }

const CACHED_MAX = 32 * 2 ** 20
const CACHED_MS = 300_000
/** Approximate overhead of a result, in bytes. */
const EXTRA_SIZE = 1024

/**
 * Creates work that clients share: coalesced, cached, and stopped when its last client disconnects. @param
 * cachedEachMax size above which a result is not cached
 */
export function shareWork<T>({
  semaphore,
  sizeOf,
  cachedEachMax,
}: {
  semaphore: FairSemaphore
  sizeOf: (value: T) => number
  cachedEachMax: number
}): SharedWork<T> {
  const underWay = new Map<string, Work<T>>()
  const cached = new LRUCache<string, Work<T>>({
    maxSize: CACHED_MAX,
    maxEntrySize: cachedEachMax,
    sizeCalculation: ({ size }) => (size ?? 0) + EXTRA_SIZE,
    ttl: CACHED_MS,
    // Nothing of a study that is gone stays in memory for longer.
    ttlAutopurge: true,
  })
  let held = 0

  async function inTurn(compute: (signal: AbortSignal) => Promise<T>, claim: Claim, signal: AbortSignal): Promise<T> {
    const release = await semaphore.acquire(claim, signal)
    try {
      signal.throwIfAborted()
      return await compute(signal)
    } finally {
      release()
    }
  }

  function forget(key: string, work: Work<T>): void {
    if (underWay.get(key) === work) underWay.delete(key)
  }

  function begin(key: string, owner: string, compute: (signal: AbortSignal) => Promise<T>): Work<T> {
    const stop = new AbortController()
    const claim = { owner }
    const promise = inTurn(compute, claim, stop.signal)
    const work: Work<T> = { promise, clients: 0, stop, claim, size: null }
    underWay.set(key, work)
    promise.then(
      (value) => {
        forget(key, work)
        work.size = sizeOf(value)
        if (work.clients > 0) held += work.size
        if (!stop.signal.aborted) cached.set(key, work)
      },
      () => forget(key, work),
    )
    return work
  }

  function join(work: Work<T>, owner: string): void {
    if (work.clients === 0) held += work.size ?? 0
    work.clients++
    // So nobody waits longer for work that an owner with many waiting requests has also requested.
    if (semaphore.waiting(owner) < semaphore.waiting(work.claim.owner)) work.claim.owner = owner
  }

  function leave(key: string, work: Work<T>): void {
    work.clients--
    if (work.clients > 0) return
    held -= work.size ?? 0
    if (work.size !== null) return
    // An equal request that comes from now on must not join what is being stopped.
    forget(key, work)
    work.stop.abort(new ServiceError('canceled', 'no client waits for it any more'))
  }

  return {
    ask: async ({ keys, owner, signal, compute }) => {
      const known = keys.find((each) => underWay.has(each) || cached.has(each))
      const key = known ?? keys[keys.length - 1]
      const work = underWay.get(key) ?? cached.get(key) ?? begin(key, owner, compute)
      join(work, owner)
      let isReleased = false
      const release = () => {
        if (!isReleased) leave(key, work)
        isReleased = true
      }
      try {
        return { value: await orAborted(work.promise, signal), release }
      } catch (error) {
        release()
        throw error
      }
    },
    kept: (keys) => keys.map((key) => cached.get(key)).find((work) => work !== undefined)?.promise ?? null,
    held: () => held,
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new ServiceError('canceled', 'the client left'))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
