import { collectAll } from '../../../engine/duckdb/garbage.ts'

/** Memory for bodies, which threads share, and which is used again. */
export type BodyMemory = {
  /** Returns memory for so many bytes, with what others have left in it. */
  take: (bytes: number) => Buffer
  /** Releases memory from `take` for reuse. */
  giveBack: (memory: Buffer) => void
}

const BLOCK_MIN_BYTES = 64 * 1024

/**
 * Opens it. V8 does not count shared memory: with memory of its own for each body, it would mark all of the heap three
 * times a second while bodies of 50 MB come, with all of its threads, and everybody else's answers would wait for as
 * long.
 *
 * @param maxBytes to keep, where nothing uses them
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
      // Nor does V8 collect for its sake what is dropped.
      if (droppedBytes <= maxBytes) return
      droppedBytes = 0
      collectAll()
    },
  }
}
