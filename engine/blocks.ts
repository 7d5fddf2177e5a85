import { BLOCK_BYTES } from './csv/sink.ts'

/**
 * Memory for full blocks on their way from a thread to whoever writes them, which all threads share: nothing is transferred, nothing
 * new, and so nothing to collect. It is one piece, of which the system gives what has been used; the lowest free block is used first.
 */
export type Blocks = {
  memory: SharedArrayBuffer
  /** Of each block, whose it is: the number of a task, or 0 while it is free. */
  owners: Int32Array
}

export function createBlocks(count: number): Blocks {
  return {
    memory: new SharedArrayBuffer(count * BLOCK_BYTES),
    owners: new Int32Array(new SharedArrayBuffer(4 * count)),
  }
}

/** Copies bytes, of a block at most, into a free one, which from then on is the owner's; null when none is free. */
export function copyToBlock(filled: Uint8Array, owner: number, { memory, owners }: Blocks): Uint8Array | null {
  for (let i = 0; i < owners.length; i++) {
    if (Atomics.compareExchange(owners, i, 0, owner) !== 0) continue
    const block = new Uint8Array(memory, i * BLOCK_BYTES, filled.length)
    block.set(filled)
    return block
  }
  return null
}

/** Frees a block, once nobody looks at its bytes any more. Memory that threads do not share is left alone. */
export function freeBlock({ buffer, byteOffset }: Uint8Array, { owners }: Blocks): void {
  // Not compared with `memory`: what comes from another thread is the same memory, but another object.
  if (buffer instanceof SharedArrayBuffer) Atomics.store(owners, byteOffset / BLOCK_BYTES, 0)
}

/** Frees all that an owner has, who will not tell which they are. */
export function freeBlocksOf(owner: number, { owners }: Blocks): void {
  for (let i = 0; i < owners.length; i++) Atomics.compareExchange(owners, i, owner, 0)
}
