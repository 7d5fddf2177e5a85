import { stopwatch } from '../../storage/concurrency/intervals.ts'
import { type Blocks, countOwned, type Finished } from './blocks.ts'

/**
 * Finished blocks of a shard that is still being computed, in memory shared by its thread and the writer: how many were
 * announced, how many were taken, whether the shard is next in order, and each block's position, owner and length.
 */
export type EarlyBlocks = Int32Array

const ANNOUNCED = 0
const TAKEN = 1
const IS_TURN = 2
const FIRST = 3
const FIELDS = 3
/** Maximum number of blocks announced early; the rest come with the shard's result. */
const BLOCKS_MAX = 1024

export function createEarlyBlocks(): EarlyBlocks {
  return new Int32Array(new SharedArrayBuffer(4 * (FIRST + FIELDS * BLOCKS_MAX)))
}

/**
 * Announces a finished block, on the thread that computes the shard, if all earlier blocks were announced.
 *
 * @param number of the block, from 0
 */
export function announceBlock(early: EarlyBlocks, finished: Finished, number: number): void {
  if (!('block' in finished) || number !== early[ANNOUNCED] || number === BLOCKS_MAX) return
  early.set([finished.block, finished.owner, finished.length], FIRST + FIELDS * number)
  Atomics.store(early, ANNOUNCED, number + 1)
}

/** Signals the shard's thread not to wait, since its blocks are written next. */
export function announceTurn(early: EarlyBlocks): void {
  Atomics.store(early, IS_TURN, 1)
  Atomics.notify(early, IS_TURN)
}

/** Backpressure: share of all blocks that shards ahead of their turn may take before their threads wait. */
const AHEAD_MAX = 0.6
/** Timeout of the wait, since the consumer of the blocks may itself wait for a thread (deadlock). */
const WAIT_MAX_MS = 250
const LOOK_MS = 5

/**
 * Applies backpressure on the thread that computes the shard: waits while finished blocks take too much memory and
 * another shard is next in order. In lockstep, threads would finish whole shards at the same time, and hold all of
 * them.
 *
 * @returns false after a timeout
 */
export function waitForRoom(early: EarlyBlocks, blocks: Blocks): boolean {
  const waitedMs = stopwatch()
  while (Atomics.load(early, IS_TURN) === 0 && countOwned(blocks) >= AHEAD_MAX * blocks.owners.length) {
    if (waitedMs() > WAIT_MAX_MS) return false
    Atomics.wait(early, IS_TURN, 0, LOOK_MS)
  }
  return true
}

/** Takes the next announced block of a shard; null if there is none. */
export function takeEarlyBlock(early: EarlyBlocks): Finished | null {
  if (early[TAKEN] >= Atomics.load(early, ANNOUNCED)) return null
  const at = FIRST + FIELDS * early[TAKEN]++
  const [block, owner, length] = early.subarray(at, at + FIELDS)
  return { block, owner, length }
}

/** Stops announcing blocks. @returns number of announced blocks */
export function closeEarlyBlocks(early: EarlyBlocks): number {
  const taken = early[TAKEN]
  early[TAKEN] = BLOCKS_MAX
  return taken
}
