/**
 * Where a shard's bytes go: blocks of about a MiB. Writers reserve what they may need at most, write into `bytes` from `length`
 * on, and store the new length.
 */
export type Sink = {
  /** The block being written. */
  bytes: Uint8Array
  /** How much of it is written. */
  length: number
  /** Finished blocks, in order; none where a desk takes them. */
  blocks: Uint8Array[]
  /** How many were finished. */
  blockCount: number
  /** CSV rows written, without a header. */
  rows: number
  desk: Desk | null
  /** Index of the block before which the notes of the file's first row go; -1 while there is no row. */
  notesBlock: number
}

/** One block's memory that is used for all, of BLOCK_BYTES, and what copies each when it is finished. */
export type Desk = { block: Uint8Array; take: (finished: Uint8Array) => void }

export const BLOCK_BYTES = 1 << 20

/** Whether a block is worth such memory, and not longer: memory of their own, thrown away, has V8 look through all of a server's. */
export function isWorthSharing({ length }: Uint8Array): boolean {
  return length > BLOCK_BYTES / 16 && length <= BLOCK_BYTES
}

/** @param desk where blocks are written; without one, each has memory of its own, so that it can be transferred to another thread */
export function createSink(desk: Desk | null = null): Sink {
  return {
    bytes: desk?.block ?? newBlock(BLOCK_BYTES),
    length: 0,
    blocks: [],
    blockCount: 0,
    rows: 0,
    desk,
    notesBlock: -1,
  }
}

/** Makes room for `count` bytes in one piece. */
export function reserve(sink: Sink, count: number): void {
  if (sink.length + count > sink.bytes.length) startBlock(sink, count)
}

/** Appends bytes that may be longer than a block. */
export function append(sink: Sink, bytes: Uint8Array): void {
  reserve(sink, bytes.length)
  sink.bytes.set(bytes, sink.length)
  sink.length += bytes.length
}

/** Counts a row whose notes cell, empty, starts at the sink's present end; cuts the block there in the first one. */
export function markNotes(sink: Sink): void {
  if (sink.notesBlock === -1) {
    startBlock(sink, 0)
    sink.notesBlock = sink.blockCount
  }
  sink.rows++
}

/** Ends the last block and returns all that no desk took; the sink is not used after that. */
export function finish(sink: Sink): Uint8Array[] {
  if (sink.length > 0) endBlock(sink)
  return sink.blocks
}

function endBlock(sink: Sink): void {
  const finished = sink.bytes.subarray(0, sink.length)
  if (sink.desk) sink.desk.take(finished)
  else sink.blocks.push(finished)
  sink.blockCount++
}

function startBlock(sink: Sink, atLeast: number): void {
  const isUsed = sink.length > 0
  if (isUsed) endBlock(sink)
  if (sink.desk && atLeast <= BLOCK_BYTES) sink.bytes = sink.desk.block
  else if (isUsed || sink.bytes.length < atLeast) sink.bytes = newBlock(Math.max(BLOCK_BYTES, atLeast))
  sink.length = 0
}

/** Not zeroed, and never from Node's shared slab, which could not be transferred. */
function newBlock(size: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
}
