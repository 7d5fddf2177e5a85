import { createHash, type Hash } from 'node:crypto'
import { ServiceError } from '../engine/errors.ts'
import { runPlan } from '../engine/formats/run.ts'
import { type Plan, planId } from '../engine/plan.ts'
import type { EnginePool } from '../engine/pool.ts'
import type { Snapshot } from '../engine/study.ts'

/** A whole file in memory. */
export type Body = { blocks: Uint8Array[]; bytes: number; sha256: Buffer }
export type Answer = { csv: Body; gzip: Body | null }

/** Small exports, computed while their clients wait: a few at once, a short line, equal ones together. */
export type SyncLine = {
  /** Whether an export of this size may be computed here at all, and the answers not yet taken leave room for it. */
  isSmall: (estimate: { samples: number; bytes: number }) => boolean
  /**
   * The whole answer; with `gzip` its twin too. Call `release` once it is sent, since until then it takes room.
   *
   * @param signal of a client that may leave: what nobody else waits for is stopped
   * @throws ServiceError overloaded when the line is full, too_large when the answer outgrows maxBytes, canceled
   */
  compute: (request: {
    plan: Plan
    snapshot: Snapshot
    gzip: boolean
    signal: AbortSignal
  }) => Promise<{ answer: Answer; release: () => void }>
  running: () => number
  waiting: () => number
  heldBytes: () => number
}

type Shared = { promise: Promise<Answer>; clients: number; stop: AbortController; bytes: number }

/** How many times longer than the places the line is, and how many of the largest answers may be held. */
const LINE_PER_PLACE = 8
const HELD_ANSWERS = 8

export function openSyncLine({
  concurrency,
  maxBytes,
  maxSamples,
  pool,
}: {
  concurrency: number
  maxBytes: number
  maxSamples: number
  pool: EnginePool
}): SyncLine {
  const shared = new Map<string, Shared>()
  const line: { start: () => void; signal: AbortSignal }[] = []
  let running = 0
  let heldBytes = 0

  /** Waits for a place. The place is handed over to the next in line, so nobody can slip in between. */
  async function takePlace(signal: AbortSignal): Promise<void> {
    if (running < concurrency) {
      running++
      return
    }
    if (line.length >= LINE_PER_PLACE * concurrency) throw new ServiceError('overloaded', 'the line is full')
    await new Promise<void>((resolve, reject) => {
      const entry = { start: resolve, signal }
      line.push(entry)
      signal.addEventListener('abort', () => {
        const at = line.indexOf(entry)
        if (at < 0) return
        line.splice(at, 1)
        reject(new ServiceError('canceled', 'the client left'))
      })
    })
  }

  function leavePlace(): void {
    const next = line.shift()
    if (next === undefined) running--
    else next.start()
  }

  async function computeOne(plan: Plan, snapshot: Snapshot, gzip: boolean, signal: AbortSignal): Promise<Answer> {
    await takePlace(signal)
    try {
      signal.throwIfAborted()
      return await gather(runPlan({ plan, snapshot, pool, signal, gzip }), gzip, maxBytes)
    } finally {
      leavePlace()
    }
  }

  function begin(key: string, plan: Plan, snapshot: Snapshot, gzip: boolean): Shared {
    const stop = new AbortController()
    const entry: Shared = { promise: computeOne(plan, snapshot, gzip, stop.signal), clients: 0, stop, bytes: 0 }
    shared.set(key, entry)
    const forget = () => {
      if (shared.get(key) === entry) shared.delete(key)
    }
    entry.promise.then(({ csv, gzip }) => {
      forget()
      if (entry.clients === 0) return
      entry.bytes = csv.bytes + (gzip?.bytes ?? 0)
      heldBytes += entry.bytes
    }, forget)
    return entry
  }

  function leave(key: string, entry: Shared): void {
    entry.clients--
    if (entry.clients > 0) return
    heldBytes -= entry.bytes
    // An equal request that comes from now on must not join what is being stopped.
    if (shared.get(key) === entry) shared.delete(key)
    entry.stop.abort(new ServiceError('canceled', 'nobody waits for it any more'))
  }

  return {
    isSmall: ({ samples, bytes }) =>
      samples <= maxSamples && bytes <= maxBytes && heldBytes + bytes <= HELD_ANSWERS * maxBytes,
    compute: async ({ plan, snapshot, gzip, signal }) => {
      const id = planId(plan)
      const withTwin = `${id} gzip`
      // Whoever wants no twin can share with those who do.
      const key = gzip || shared.has(withTwin) ? withTwin : id
      const entry = shared.get(key) ?? begin(key, plan, snapshot, gzip)
      entry.clients++
      const release = once(() => leave(key, entry))
      try {
        return { answer: await orAborted(entry.promise, signal), release }
      } catch (error) {
        release()
        throw error
      }
    },
    running: () => running,
    waiting: () => line.length,
    heldBytes: () => heldBytes,
  }
}

/** @throws ServiceError too_large */
async function gather(
  blocks: AsyncIterable<{ csv: Uint8Array; gzip: Uint8Array }>,
  withGzip: boolean,
  maxBytes: number,
): Promise<Answer> {
  const csv = emptyBody()
  const gzip = emptyBody()
  for await (const block of blocks) {
    add(csv, block.csv)
    add(gzip, block.gzip)
    if (csv.bytes > maxBytes) throw new ServiceError('too_large', 'the answer outgrew its estimate')
  }
  return { csv: finish(csv), gzip: withGzip ? finish(gzip) : null }
}

type Growing = { blocks: Uint8Array[]; bytes: number; hash: Hash }

function emptyBody(): Growing {
  return { blocks: [], bytes: 0, hash: createHash('sha256') }
}

function add(body: Growing, block: Uint8Array): void {
  if (block.byteLength === 0) return
  body.blocks.push(block)
  body.bytes += block.byteLength
  body.hash.update(block)
}

function finish({ blocks, bytes, hash }: Growing): Body {
  return { blocks, bytes, sha256: hash.digest() }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new ServiceError('canceled', 'the client left'))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
