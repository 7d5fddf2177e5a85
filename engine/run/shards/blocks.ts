import { BLOCK_BYTES } from '../../text/sink.ts'
import { heldBytes, type Spilled } from './spill.ts'

/**
 * Pool of memory for finished blocks on their way from a thread to their writer. All threads share it, so nothing is
 * transferred, allocated or collected. It is one buffer, of which the system provides only the pages that were used, so
 * the lowest free block is used first.
 */
export type Blocks = {
  memory: SharedArrayBuffer
  /** Owner of each block: the number of a task, or 0 if it is free. */
  owners: Int32Array
}

/**
 * Finished bytes: the bytes themselves, or the block or the position on disk with a copy of them. Only bytes without a
 * copy are sent between threads, and left to the garbage collector.
 */
export type Finished = Uint8Array | { block: number; owner: number; length: number } | Spilled

/**
 * Returns whether bytes should be copied into a block: they must fit, and be so many that garbage would matter (memory
 * that is allocated and dropped makes V8 scan the whole heap of a server).
 */
export function isWorthSharing({ length }: Uint8Array): boolean {
  return length > BLOCK_BYTES / 16 && length <= BLOCK_BYTES
}

export function createBlocks(count: number): Blocks {
  return {
    memory: new SharedArrayBuffer(count * BLOCK_BYTES),
    owners: new Int32Array(new SharedArrayBuffer(4 * count)),
  }
}

/** Copies bytes, at most a block, into a free block for an owner; null if none is free. */
export function copyToBlock(bytes: Uint8Array, owner: number, blocks: Blocks): Finished | null {
  const { owners } = blocks
  for (let block = 0; block < owners.length; block++) {
    if (Atomics.compareExchange(owners, block, 0, owner) !== 0) continue
    const finished = { block, owner, length: bytes.length }
    bytesOf(finished, blocks).set(bytes)
    return finished
  }
  return null
}

/** Returns a view of the bytes, valid until the block is freed. */
export function bytesOf(finished: Finished, { memory }: Blocks): Uint8Array {
  if (!('block' in finished)) return heldBytes(finished)
  return new Uint8Array(memory, finished.block * BLOCK_BYTES, finished.length)
}

/** Frees the block of finished bytes after they were read, if they have one that is not already free. */
export function freeBlock(finished: Finished, { owners }: Blocks): void {
  if ('block' in finished) Atomics.compareExchange(owners, finished.block, finished.owner, 0)
}

/** Returns the number of used blocks. */
export function countOwned({ owners }: Blocks): number {
  let count = 0
  for (let i = 0; i < owners.length; i++) if (owners[i] !== 0) count++
  return count
}

/** Frees all blocks of a failed owner. */
export function freeBlocksOf(owner: number, { owners }: Blocks): void {
  for (let i = 0; i < owners.length; i++) Atomics.compareExchange(owners, i, owner, 0)
}
