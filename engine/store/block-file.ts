import type { FileHandle } from 'node:fs/promises'

/** Blocks on their way into a file, one after the other. */
export type BlockFile = {
  /** @param done called once these bytes are written, and their memory may be used again */
  write: (bytes: Uint8Array, done?: () => void) => Promise<void>
  /** Resolves when all is written. */
  drain: () => Promise<void>
}

/** Small pieces, as a twin has, are gathered; less than a block of an export, which is written by itself. */
const GATHERED_BYTES = 1 << 19

/**
 * Gathers blocks, and writes some while the next are made. A system's error is thrown by the next call, or the one after that.
 *
 * @param file at the place where they go; it is not closed
 */
export function gatherInto(file: FileHandle): BlockFile {
  let gathered: Uint8Array[] = []
  let gatheredBytes = 0
  let whenWritten: (() => void)[] = []
  let writing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    const pieces = gathered
    const dones = whenWritten
    gathered = []
    gatheredBytes = 0
    whenWritten = []
    await writing
    if (pieces.length === 0) return
    writing = writeAll(file, pieces).then(() => {
      for (const done of dones) done()
    })
    // Seen by whoever awaits it next; not an unhandled one until then.
    writing.catch(() => undefined)
  }

  return {
    write: async (bytes, done) => {
      if (bytes.length === 0) return
      gathered.push(bytes)
      gatheredBytes += bytes.length
      if (done) whenWritten.push(done)
      if (gatheredBytes >= GATHERED_BYTES) await flush()
    },
    drain: async () => {
      await flush()
      await writing
    },
  }
}

async function writeAll(file: FileHandle, pieces: Uint8Array[]): Promise<void> {
  const { bytesWritten } = await file.writev(pieces)
  const missing = pieces.reduce((sum, { length }) => sum + length, 0) - bytesWritten
  // Short where a disk gets full or a signal comes: the rest is written, or fails with the reason.
  if (missing > 0) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten))
}
