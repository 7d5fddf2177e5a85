/**
 * Where a shard's bytes go: blocks of about a MiB, each in memory of its own so that it can be transferred to another
 * thread. Writers reserve what they may need at most, write into `bytes` from `length` on, and store the new length.
 */
export type Sink = {
  /** The block being written. */
  bytes: Uint8Array
  /** How much of it is written. */
  length: number
  /** Finished blocks, in order. */
  blocks: Uint8Array[]
  /** CSV rows written, without a header. */
  rows: number
  /** Memory of blocks that nobody needs any more, to write the next ones into. */
  spare: ArrayBuffer[]
  /** Index of the block before which the notes of the file's first row go; -1 while there is no row. */
  notesBlock: number
}

export const BLOCK_BYTES = 1 << 20

/** @param spare buffers of BLOCK_BYTES; they are taken out of it as they are used */
export function createSink(spare: ArrayBuffer[] = []): Sink {
  return { bytes: newBlock(BLOCK_BYTES, spare), length: 0, blocks: [], rows: 0, spare, notesBlock: -1 }
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
    sink.notesBlock = sink.blocks.length
  }
  sink.rows++
}

/** Ends the last block and returns all of them; the sink is not used after that. */
export function finish(sink: Sink): Uint8Array[] {
  if (sink.length > 0) sink.blocks.push(sink.bytes.subarray(0, sink.length))
  return sink.blocks
}

function startBlock(sink: Sink, atLeast: number): void {
  const whole = sink.length > 0
  if (whole) sink.blocks.push(sink.bytes.subarray(0, sink.length))
  if (whole || sink.bytes.length < atLeast) sink.bytes = newBlock(Math.max(BLOCK_BYTES, atLeast), sink.spare)
  sink.length = 0
}

/** Not zeroed, and never from Node's shared slab, which could not be transferred. */
function newBlock(size: number, spare: ArrayBuffer[]): Uint8Array {
  const used = size === BLOCK_BYTES ? spare.pop() : undefined
  return new Uint8Array(used ?? Buffer.allocUnsafeSlow(size).buffer)
}
