/** Buffer for bytes: a block is filled, passed to `take`, and reused. Writers reserve the most that they may need. */
export type Sink = {
  /** The block being written, of BLOCK_BYTES. */
  bytes: Uint8Array
  /** Bytes of the block that are written. */
  length: number
  /** Consumes the bytes of a finished block, which are overwritten after it returns. */
  take: (finished: Uint8Array) => void
}

export const BLOCK_BYTES = 1 << 20

/** Returns an empty sink. @param memory of BLOCK_BYTES; its own by default */
export function createSink(take: Sink['take'], memory: Uint8Array = new Uint8Array(BLOCK_BYTES)): Sink {
  return { bytes: memory, length: 0, take }
}

/** Makes room for `count` bytes in one piece, which are at most BLOCK_BYTES. */
export function reserve(sink: Sink, count: number): void {
  if (sink.length + count > BLOCK_BYTES) flush(sink)
}

/** Appends bytes, however many. */
export function append(sink: Sink, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    if (sink.length === BLOCK_BYTES) flush(sink)
    const count = Math.min(bytes.length - from, BLOCK_BYTES - sink.length)
    sink.bytes.set(count === bytes.length ? bytes : bytes.subarray(from, from + count), sink.length)
    sink.length += count
    from += count
  }
}

/** Hands over what is written so far. */
export function flush(sink: Sink): void {
  if (sink.length > 0) sink.take(sink.bytes.subarray(0, sink.length))
  sink.length = 0
}

/** Returns what `write` writes, as one piece: for a head, a tail or a small file. */
export function bytesWritten(write: (sink: Sink) => void): Uint8Array {
  const blocks = blocksWritten(write)
  return blocks.length === 1 ? blocks[0] : Buffer.concat(blocks)
}

/** Returns what `write` writes, in blocks. */
export function blocksWritten(write: (sink: Sink) => void): Uint8Array[] {
  const blocks: Uint8Array[] = []
  const sink = createSink((finished) => void blocks.push(finished.slice()))
  write(sink)
  flush(sink)
  return blocks
}
