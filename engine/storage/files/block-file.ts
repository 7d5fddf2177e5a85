import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * A new file that is written from its beginning to its end, in blocks. A system error is thrown by the call after the
 * one that caused it, or by `finish`.
 */
export type BlockFile = {
  /**
   * Resolves once the bytes are copied, and their memory may be used again.
   *
   * @param place where the same bytes lie already, if they do
   */
  write: (bytes: Uint8Array, place?: CopiedRange) => Promise<void>
  /** Writes what is left, waits for the disk, and closes the file. */
  finish: () => Promise<void>
  /** Closes a file that is to be deleted; does nothing after `finish`. */
  abandon: () => Promise<void>
}

/** Bytes of a file: those from `start` to before `end`. */
export type CopiedRange = { copyOf: string; start: number; end: number }

/** A file that is read from any place; what `open` of node:fs returns is one. */
export type ReadFile = {
  stat: () => Promise<{ size: number }>
  read: (bytes: Uint8Array, offset: number, length: number, position: number) => Promise<{ bytesRead: number }>
  close: () => Promise<void>
}

const CHUNK_BYTES = 4 << 20

/** Number of buffers. One is filled while the others are written, so a disk that stalls for a moment delays nothing. */
const CHUNKS = 4

/**
 * Length beyond which a file bypasses the page cache: it would evict what is read, and cost a copy and a page per 4
 * KiB.
 */
const CACHED_BYTES_MAX = 64 << 20

/** Buffers of closed files, to be reused. */
const spare: WebAssembly.Memory[] = []
const SPARE_MAX = 4

/**
 * Creates a file that is written block by block.
 *
 * @param flags as of `open`: `wx` fails where there is a file already, `w` replaces it.
 * @throws a system's error
 */
export async function createBlockFile(path: string, flags: 'w' | 'wx'): Promise<BlockFile> {
  const file = await open(path, flags)
  const { memory, chunks } = openChunks()
  const writing: Promise<void>[] = chunks.map(() => Promise.resolve())
  let filling = 0
  let length = 0
  let position = 0
  let direct: FileHandle | null = null
  let cached: Promise<void> = Promise.resolve()
  let isOpen = true

  /** Starts to write the filled buffer, and waits until another one is free. */
  async function flush(): Promise<void> {
    if (position === CACHED_BYTES_MAX) {
      direct = await openDirect(path)
      // Flush the bytes written through the page cache while the rest is made.
      cached = Promise.all(writing).then(() => file.datasync())
      cached.catch(() => undefined)
    }
    const bytes = chunks[filling].subarray(0, length)
    writing[filling] = writeAll(file, length === CHUNK_BYTES ? direct : null, bytes, position)
    // The next call awaits it and sees its error; until then it is not an unhandled rejection.
    writing[filling].catch(() => undefined)
    position += length
    length = 0
    filling = (filling + 1) % CHUNKS
    await writing[filling]
  }

  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await Promise.allSettled([...writing, cached])
    if (spare.length < SPARE_MAX) spare.push(memory)
    await Promise.all([file.close(), direct?.close()])
  }

  return {
    write: async (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        const part = bytes.subarray(from, from + CHUNK_BYTES - length)
        // Copies as memory is copied, also what threads share; `set` would go through that byte by byte.
        if (part.length > 0) chunks[filling].fill(part, length, length + part.length)
        length += part.length
        from += part.length
        if (length === CHUNK_BYTES) await flush()
      }
    },
    finish: async () => {
      try {
        await flush()
        await Promise.all([...writing, cached])
        await file.sync()
      } finally {
        await close()
      }
    },
    abandon: close,
  }
}

/** Opens the same file past the page cache; null where the system or the file system cannot do that. */
async function openDirect(path: string): Promise<FileHandle | null> {
  if (constants.O_DIRECT === undefined) return null
  return open(path, constants.O_WRONLY | constants.O_DIRECT).catch(() => null)
}

async function writeAll(
  file: FileHandle,
  direct: FileHandle | null,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  // If a direct write fails or is partial, the rest is written as usual, or fails with the reason.
  let done = (await direct?.write(bytes, 0, bytes.length, position).catch(() => null))?.bytesWritten ?? 0
  while (done < bytes.length) done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

/** Returns buffers in memory of WebAssembly, which begins on a page, as writing past the cache wants it. */
function openChunks(): { memory: WebAssembly.Memory; chunks: Buffer[] } {
  const memory = spare.pop() ?? new WebAssembly.Memory({ initial: (CHUNKS * CHUNK_BYTES) / 65536 })
  const chunkAt = (c: number) => Buffer.from(memory.buffer, c * CHUNK_BYTES, CHUNK_BYTES)
  return { memory, chunks: Array.from({ length: CHUNKS }, (_, c) => chunkAt(c)) }
}
