/** Buffer of bytes: fills a block, passes it to `take`, and reuses it. Writers reserve the room that they may need. */
export type ByteSink = {
  /** Current block, of BLOCK_BYTES. */
  bytes: Uint8Array
  /** Number of bytes written to the block. */
  length: number
  /** Consumes the bytes of a finished block, which are overwritten after it returns. */
  take: (finished: Uint8Array) => void
}

export const BLOCK_BYTES = 1 << 20

/** Creates an empty sink. @param memory of BLOCK_BYTES; its own by default */
export function createSink(take: ByteSink['take'], memory: Uint8Array = new Uint8Array(BLOCK_BYTES)): ByteSink {
  return { bytes: memory, length: 0, take }
}

/** Reserves `count` contiguous bytes, at most BLOCK_BYTES. */
export function reserve(sink: ByteSink, count: number): void {
  if (sink.length + count > BLOCK_BYTES) flush(sink)
}

/** Appends any number of bytes. */
export function append(sink: ByteSink, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    if (sink.length === BLOCK_BYTES) flush(sink)
    const count = Math.min(bytes.length - from, BLOCK_BYTES - sink.length)
    sink.bytes.set(count === bytes.length ? bytes : bytes.subarray(from, from + count), sink.length)
    sink.length += count
    from += count
  }
}

/** Flushes the bytes written so far. */
export function flush(sink: ByteSink): void {
  if (sink.length > 0) sink.take(sink.bytes.subarray(0, sink.length))
  sink.length = 0
}

/** Returns the output of `write` in one piece: for a header, a trailer or a small file. */
export function bytesWritten(write: (sink: ByteSink) => void): Uint8Array {
  const blocks = blocksWritten(write)
  return blocks.length === 1 ? blocks[0] : Buffer.concat(blocks)
}

/** Returns the output of `write` in blocks. */
export function blocksWritten(write: (sink: ByteSink) => void): Uint8Array[] {
  const blocks: Uint8Array[] = []
  const sink = createSink((finished) => void blocks.push(finished.slice()))
  write(sink)
  flush(sink)
  return blocks
}
