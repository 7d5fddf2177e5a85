import { collectAll } from '../../../engine/duckdb/garbage.ts'

/** Pool of shared memory for request bodies. */
type BodyMemory = {
  /** Returns memory of at least so many bytes, which may hold old content. */
  take: (bytes: number) => Buffer
  /** Releases memory from `take` for reuse. */
  giveBack: (memory: Buffer) => void
}

const BLOCK_MIN_BYTES = 64 * 1024

/**
 * Creates the pool. V8 does not count shared memory. With separate memory for each body, it would mark the whole heap
 * three times a second, on all of its threads, while bodies of 50 MB arrive, and all other answers would wait
 * meanwhile.
 *
 * @param maxBytes to keep for reuse
 */
export function openBodyMemory(maxBytes: number): BodyMemory {
  const idle: SharedArrayBuffer[] = []
  const sumOf = (blocks: SharedArrayBuffer[]) => blocks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  let droppedBytes = 0
  return {
    take: (bytes) => {
      const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, BLOCK_MIN_BYTES)))
      const known = idle.findIndex(({ byteLength }) => byteLength === size)
      return Buffer.from(known === -1 ? new SharedArrayBuffer(size) : idle.splice(known, 1)[0])
    },
    giveBack: ({ buffer }) => {
      idle.push(buffer as SharedArrayBuffer)
      while (idle.length > 1 && sumOf(idle) > maxBytes) droppedBytes += idle.shift()!.byteLength
      // V8 does not count this memory, so it would not collect dropped buffers early.
      if (droppedBytes <= maxBytes) return
      droppedBytes = 0
      collectAll()
    },
  }
}
