import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../engine/model/errors.ts'
import type { Claim, FairSemaphore } from './fair-semaphore.ts'

/**
 * Work for which clients wait. It coalesces identical requests, stops work when its last client disconnects, and caches
 * results for a while.
 */
export type SharedWork<T> = {
  /**
   * Returns a result that is cached or in progress under one of the keys. If there is none, computes it under the last
   * key, when it is the owner's turn. Call `release` once the result is sent: until then, it takes memory.
   *
   * @param request.owner whose turn it takes
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

/** Work under one key. `size` is null until it is computed; `claim` is its place in the semaphore's queue. */
type Work<T> = { promise: Promise<T>; clients: number; stop: AbortController; claim: Claim; size: number | null }

/**
 * Work goes from `underWay` to `cached` when it is computed, unless it fails or is stopped. `heldBytes` is the size of
 * results that clients have not released, cached or not.
 */
type State<T> = {
  underWay: Map<string, Work<T>>
  cached: LRUCache<string, Work<T>>
  heldBytes: number
  semaphore: FairSemaphore
  sizeOf: (value: T) => number
}

const CACHED_MAX = 32 * 2 ** 20
const CACHED_MS = 300_000
/** Approximate overhead of a result, in bytes. */
const EXTRA_SIZE = 1024

/**
 * Creates work that clients share: coalesced, cached, and stopped when its last client disconnects.
 *
 * @param cachedEachMax size above which a result is not cached
 */
export function shareWork<T>(given: {
  semaphore: FairSemaphore
  sizeOf: (value: T) => number
  cachedEachMax: number
}): SharedWork<T> {
  const { semaphore, sizeOf, cachedEachMax } = given
  const cached = new LRUCache<string, Work<T>>({
    maxSize: CACHED_MAX,
    maxEntrySize: cachedEachMax,
    sizeCalculation: ({ size }) => (size ?? 0) + EXTRA_SIZE,
    ttl: CACHED_MS,
    // Data of a removed study must not stay in memory any longer.
    ttlAutopurge: true,
  })
  const state: State<T> = { underWay: new Map(), cached, heldBytes: 0, semaphore, sizeOf }
  return {
    ask: (request) => ask(state, request),
    kept: (keys) => keys.map((key) => cached.get(key)).find((work) => work !== undefined)?.promise ?? null,
    held: () => state.heldBytes,
  }
}

async function ask<T>(
  state: State<T>,
  { keys, owner, signal, compute }: Parameters<SharedWork<T>['ask']>[0],
): ReturnType<SharedWork<T>['ask']> {
  const { underWay, cached } = state
  const key = keys.find((each) => underWay.has(each) || cached.has(each)) ?? keys[keys.length - 1]
  const work = underWay.get(key) ?? cached.get(key) ?? begin(state, key, owner, compute)
  join(state, work, owner)
  let isReleased = false
  const release = () => {
    if (!isReleased) leave(state, key, work)
    isReleased = true
  }
  try {
    return { value: await orAborted(work.promise, signal), release }
  } catch (error) {
    release()
    throw error
  }
}

function begin<T>(state: State<T>, key: string, owner: string, compute: (signal: AbortSignal) => Promise<T>): Work<T> {
  const stop = new AbortController()
  const claim = { owner }
  const promise = inTurn(state.semaphore, compute, claim, stop.signal)
  const work: Work<T> = { promise, clients: 0, stop, claim, size: null }
  state.underWay.set(key, work)
  promise.then(
    (value) => {
      forget(state, key, work)
      work.size = state.sizeOf(value)
      if (work.clients > 0) state.heldBytes += work.size
      if (!stop.signal.aborted) state.cached.set(key, work)
    },
    () => forget(state, key, work),
  )
  return work
}

async function inTurn<T>(
  semaphore: FairSemaphore,
  compute: (signal: AbortSignal) => Promise<T>,
  claim: Claim,
  signal: AbortSignal,
): Promise<T> {
  const release = await semaphore.acquire(claim, signal)
  try {
    signal.throwIfAborted()
    return await compute(signal)
  } finally {
    release()
  }
}

function join<T>(state: State<T>, work: Work<T>, owner: string): void {
  if (work.clients === 0) state.heldBytes += work.size ?? 0
  work.clients++
  // So nobody waits longer because an owner with many waiting requests has also requested this work.
  const { semaphore } = state
  if (semaphore.waiting(owner) < semaphore.waiting(work.claim.owner)) work.claim.owner = owner
}

function leave<T>(state: State<T>, key: string, work: Work<T>): void {
  work.clients--
  if (work.clients > 0) return
  state.heldBytes -= work.size ?? 0
  if (work.size !== null) return
  // An identical request that comes from now on must not join work that is being stopped.
  forget(state, key, work)
  work.stop.abort(new ServiceError('canceled', 'nobody waits for it any more'))
}

function forget<T>({ underWay }: State<T>, key: string, work: Work<T>): void {
  if (underWay.get(key) === work) underWay.delete(key)
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new ServiceError('canceled', 'the client left'))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
