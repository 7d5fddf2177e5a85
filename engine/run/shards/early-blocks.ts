import { type Blocks, countOwned, type Finished } from './blocks.ts'

/**
 * Finished blocks of a shard that is still being computed, in memory that its thread shares with the writer: how many
 * were announced, how many of them were taken, whether it is the shard's turn to be written, and of each block its
 * place, owner and length.
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
 * Announces a finished block, on the thread that computes the shard, if all blocks before it were.
 *
 * @param number of the block, from 0
 */
export function announceBlock(early: EarlyBlocks, finished: Finished, number: number): void {
  if (!('block' in finished) || number !== early[ANNOUNCED] || number === BLOCKS_MAX) return
  early.set([finished.block, finished.owner, finished.length], FIRST + FIELDS * number)
  Atomics.store(early, ANNOUNCED, number + 1)
}

/** Signals the shard's thread not to wait: its blocks are written next. */
export function announceTurn(early: EarlyBlocks): void {
  Atomics.store(early, IS_TURN, 1)
  Atomics.notify(early, IS_TURN)
}

/** Backpressure: share of all blocks that shards ahead of their turn may take before their threads wait. */
const AHEAD_MAX = 0.6
/** Timeout of the wait: the consumer of the blocks may itself wait for a thread. */
const WAIT_MAX_MS = 250
const LOOK_MS = 5

/**
 * Waits, on the thread that computes the shard, while finished blocks take too much memory and it is not the shard's
 * turn. In step with each other, threads would finish whole shards at once, and hold all of them.
 *
 * @returns false if it has waited as long as it may
 */
export function waitForRoom(early: EarlyBlocks, blocks: Blocks): boolean {
  const untilMs = performance.now() + WAIT_MAX_MS
  while (Atomics.load(early, IS_TURN) === 0 && countOwned(blocks) >= AHEAD_MAX * blocks.owners.length) {
    if (performance.now() > untilMs) return false
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

/** Stops announcing blocks. @returns how many were */
export function closeEarlyBlocks(early: EarlyBlocks): number {
  const taken = early[TAKEN]
  early[TAKEN] = BLOCKS_MAX
  return taken
}
