import { createHash, type Hash } from 'node:crypto'
import { ServiceError } from '../../engine/model/errors.ts'
import { type Plan, planId } from '../../engine/model/plan.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import { type Block, runExport } from '../../engine/run/run-export.ts'
import { createFairSemaphore } from '../http/waiting/fair-semaphore.ts'
import { type SharedWork, shareWork } from '../http/waiting/shared-work.ts'

/** A whole file in memory. */
export type Body = { blocks: Uint8Array[]; bytes: number; sha256: Buffer }
export type ExportAnswer = { csv: Body; gzip: Body | null }

/**
 * Computes small exports while their clients wait. Caches the smallest answers by the id of their plan. The plan
 * contains the snapshot, so no allowed request can find removed data, or data that its token may not read.
 */
export type SyncLine = {
  /** Returns true if an export of this size may be computed here, and memory is left besides unread answers. */
  isSmall: (estimate: { samples: number; bytes: number }) => boolean
  /**
   * Returns the whole answer; with `gzip`, also its gzip version.
   *
   * @param owner the token's id
   * @throws ServiceError overloaded if the queue is full, too_large if the answer outgrows maxBytes, canceled
   */
  compute: (request: {
    plan: Plan
    snapshot: Snapshot
    gzip: boolean
    owner: string
    signal: AbortSignal
  }) => ReturnType<SharedWork<ExportAnswer>['ask']>
  /**
   * Returns a cached answer without computing anything; null if there is none.
   *
   * @param gzip whether the gzip version is needed, too
   */
  kept: (plan: Plan, gzip: boolean) => Promise<ExportAnswer> | null
  running: () => number
  waiting: () => number
  heldBytes: () => number
}

const CACHED_ANSWER_BYTES = 2 ** 20
/** Length of the queue as a multiple of the slots, and number of largest answers that may be in memory. */
const QUEUE_PER_SLOT = 8
const HELD_ANSWERS = 8

export function openSyncLine(given: {
  concurrency: number
  maxBytes: number
  maxSamples: number
  pool: EnginePool
}): SyncLine {
  const { concurrency, maxBytes, maxSamples, pool } = given
  const semaphore = createFairSemaphore({ slots: concurrency, waitingMax: QUEUE_PER_SLOT * concurrency })
  const sizeOf = ({ csv, gzip }: ExportAnswer) => csv.bytes + (gzip?.bytes ?? 0)
  const work = shareWork<ExportAnswer>({ semaphore, sizeOf, cachedEachMax: CACHED_ANSWER_BYTES })
  return {
    isSmall: ({ samples, bytes }) =>
      samples <= maxSamples && bytes <= maxBytes && work.held() + bytes <= HELD_ANSWERS * maxBytes,
    compute: ({ plan, snapshot, gzip, owner, signal }) => {
      pool.prioritizeSmall()
      return work.ask({
        keys: keysOf(plan, gzip),
        owner,
        signal,
        compute: (stop) =>
          gather(runExport({ plan, snapshot, pool, signal: stop, gzip, isUrgent: true, maxBytes }), gzip, maxBytes),
      })
    },
    kept: (plan, gzip) => work.kept(keysOf(plan, gzip)),
    running: semaphore.running,
    waiting: semaphore.waiting,
    heldBytes: work.held,
  }
}

/** Returns the cache keys that serve a request: a request without gzip can also use an answer with gzip. */
function keysOf(plan: Plan, gzip: boolean): string[] {
  const id = planId(plan)
  return gzip ? [`${id} gzip`] : [`${id} gzip`, id]
}

/** Collects a whole body in memory. @throws ServiceError too_large */
async function gather(blocks: AsyncIterable<Block>, withGzip: boolean, maxBytes: number): Promise<ExportAnswer> {
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

/** Returns whether an array owns its memory, and no more than it needs; shared memory may be overwritten. */
function isAlone({ buffer, byteLength }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
}

function finish({ blocks, bytes, hash }: Growing): Body {
  return { blocks, bytes, sha256: hash.digest() }
}
