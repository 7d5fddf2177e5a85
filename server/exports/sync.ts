import { createHash, type Hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../engine/model/errors.ts'
import { type Plan, planId } from '../../engine/model/plan.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { EnginePool } from '../../engine/run/pool.ts'
import type { Block } from '../../engine/run/run-export.ts'
import { runExport } from '../../engine/run/run-export.ts'

/** A whole file in memory. */
export type Body = { blocks: Uint8Array[]; bytes: number; sha256: Buffer }
export type Answer = { csv: Body; gzip: Body | null }

/**
 * Small exports, computed while their clients wait: a few at once, a short line, equal ones together. The smallest answers are
 * kept for a while. They are found by their plan's id, which holds the snapshot's: what is removed from a study, or a study that
 * a token may not read, is asked for by no plan that gets this far.
 */
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

/** `bytes` is 0 until it is computed. */
type Shared = { promise: Promise<Answer>; clients: number; stop: AbortController; bytes: number }

/** An answer up to this size is kept; all that are kept may take so much, and stay so long. */
const KEPT_ANSWER_BYTES = 2 ** 20
const KEPT_BYTES = 32 * 2 ** 20
const KEPT_MS = 300_000
/** Of an answer besides its bytes, roughly. */
const KEPT_EXTRA_BYTES = 1024

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
  const kept = new LRUCache<string, Shared>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + KEPT_EXTRA_BYTES,
    ttl: KEPT_MS,
    // Nothing of a study that is gone stays in memory for longer.
    ttlAutopurge: true,
  })
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
      return await gather(runExport({ plan, snapshot, pool, signal, gzip, isUrgent: true }), gzip, maxBytes)
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
      entry.bytes = csv.bytes + (gzip?.bytes ?? 0)
      if (entry.clients > 0) heldBytes += entry.bytes
      if (entry.bytes <= KEPT_ANSWER_BYTES) kept.set(key, entry)
    }, forget)
    return entry
  }

  /** What is computed, or is being computed, for this plan; whoever wants no twin can share with those who do. */
  function find(id: string, gzip: boolean): { key: string; entry: Shared } | null {
    for (const key of gzip ? [withTwin(id)] : [withTwin(id), id]) {
      const entry = shared.get(key) ?? kept.get(key)
      if (entry) return { key, entry }
    }
    return null
  }

  function join(entry: Shared): void {
    if (entry.clients === 0) heldBytes += entry.bytes
    entry.clients++
  }

  function leave(key: string, entry: Shared): void {
    entry.clients--
    if (entry.clients > 0) return
    heldBytes -= entry.bytes
    if (entry.bytes > 0) return
    // An equal request that comes from now on must not join what is being stopped.
    if (shared.get(key) === entry) shared.delete(key)
    entry.stop.abort(new ServiceError('canceled', 'nobody waits for it any more'))
  }

  return {
    isSmall: ({ samples, bytes }) =>
      samples <= maxSamples && bytes <= maxBytes && heldBytes + bytes <= HELD_ANSWERS * maxBytes,
    compute: async ({ plan, snapshot, gzip, signal }) => {
      pool.favorSmall()
      const id = planId(plan)
      const found = find(id, gzip)
      const key = found?.key ?? (gzip ? withTwin(id) : id)
      const entry = found?.entry ?? begin(key, plan, snapshot, gzip)
      join(entry)
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

const withTwin = (id: string) => `${id} gzip`

/** @throws ServiceError too_large */
async function gather(blocks: AsyncIterable<Block>, withGzip: boolean, maxBytes: number): Promise<Answer> {
  const csv = emptyBody()
  const gzip = emptyBody()
  for await (const block of blocks) {
    add(csv, block.bytes)
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
  body.blocks.push(isAlone(block) ? block : new Uint8Array(block))
  body.bytes += block.byteLength
  body.hash.update(block)
}

/** Whether it has memory of its own, and no more of it than it needs; others may be written to again. */
function isAlone({ buffer, byteLength }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
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
