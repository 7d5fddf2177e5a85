import { BLOCK_BYTES } from '../../text/sink.ts'
import { heldBytes, type Spilled } from './spill.ts'

/**
 * Memory for full blocks on their way from a thread to their writer, shared by all threads, so that nothing is
 * transferred, allocated or collected. It is one piece, of which the system provides the pages that have been used; the
 * lowest free block is used first.
 */
export type Blocks = {
  memory: SharedArrayBuffer
  /** Owner of each block: the number of a task, or 0 while it is free. */
  owners: Int32Array
}

/**
 * Finished bytes: themselves, or the block or the place on disk that has a copy of them. The latter are all that is
 * sent, and left to be collected.
 */
export type Finished = Uint8Array | { block: number; owner: number; length: number } | Spilled

/**
 * Returns whether bytes should go into such a block: they must fit, and not be so few that garbage of their own is
 * harmless (memory that is allocated and thrown away makes V8 scan the whole heap of a server).
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

/** Copies bytes, at most a block, into a free block, which then belongs to the owner; null if none is free. */
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

/** Frees the block of finished bytes, if they have one, once it is not read any more; not if it was freed before. */
export function freeBlock(finished: Finished, { owners }: Blocks): void {
  if ('block' in finished) Atomics.compareExchange(owners, finished.block, finished.owner, 0)
}

/** Returns how many blocks are not free. */
export function countOwned({ owners }: Blocks): number {
  let count = 0
  for (let i = 0; i < owners.length; i++) if (owners[i] !== 0) count++
  return count
}

/** Frees all blocks of an owner that failed. */
export function freeBlocksOf(owner: number, { owners }: Blocks): void {
  for (let i = 0; i < owners.length; i++) Atomics.compareExchange(owners, i, owner, 0)
}
