import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { closing } from '../concurrency/closing.ts'
import type { ReadFile } from './block-file.ts'

const PIECE_BYTES = 1 << 20

/** Computes the SHA-256, in hex, of a file. */
export async function hashFile(path: string): Promise<string> {
  return closing(await open(path, 'r'), (file) => hashOpenFile(file))
}

/**
 * Computes the SHA-256 of an open file from its beginning, in a buffer of its own: a stream would allocate one for each
 * piece, which costs more than hashing.
 */
export async function hashOpenFile(file: Pick<ReadFile, 'stat' | 'read'>, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const piece = new Uint8Array(Math.max(1, Math.min(PIECE_BYTES, (await file.stat()).size)))
  for (let offset = 0; ; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(piece, 0, piece.length, offset)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(piece.subarray(0, bytesRead))
    offset += bytesRead
  }
}

/**
 * Reads a small file and compares its SHA-256, in hex. Its bytes are in memory that threads can share without a copy.
 *
 * @throws Error when it has changed
 */
export async function readHashed(path: string, sha256: string): Promise<Buffer<SharedArrayBuffer>> {
  return closing(await open(path, 'r'), async (file) => {
    const { size } = await file.stat()
    const bytes = Buffer.from(new SharedArrayBuffer(size))
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await file.read(bytes, offset, size - offset, offset)
      if (bytesRead === 0) break
      offset += bytesRead
    }
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`${basename(path)} has changed`)
    return bytes
  })
}
