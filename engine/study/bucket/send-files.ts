import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { ServiceError } from '../../model/errors.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'

/** Number of files and bytes copied, and of files that were already there. */
export type Copied = { files: number; bytes: number; known: number }

/** Number of files that are sent, fetched or hashed in parallel. */
export const AT_ONCE = 6
const PIECE_BYTES = 4 << 20

/** A file, the key that it gets, and its SHA-256 in hex. */
type Sending = { path: string; key: string; sha256: string }

/**
 * Sends a file to a store unless it has it, then reads it back and verifies the hash.
 *
 * @param there whether an object of that key is in the store: it is read and compared, and sent again only if it
 * differs
 * @throws ServiceError corrupt when the file, or what was read back, has another hash
 */
export async function sendFile(
  store: ObjectStore,
  { path, key, sha256 }: Sending,
  there: boolean,
  copied: Copied,
): Promise<void> {
  if (there && (await hashOfObject(store, key)) === sha256) return void copied.known++
  // Others add to the sum meanwhile.
  const bytes = await store.compose(key, proved(path, sha256))
  copied.bytes += bytes
  if ((await hashOfObject(store, key)) !== sha256)
    throw new ServiceError('corrupt', `${key} is not what was sent to ${store.name}`)
  copied.files++
}

/** Streams a file, and throws before its last bytes if its hash differs. So nothing damaged gets a name. */
async function* proved(path: string, sha256: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const hash = createHash('sha256')
    let last: Uint8Array | null = null
    const { size } = await file.stat()
    for (let offset = 0; offset < size; offset += last.length) {
      const length = Math.min(PIECE_BYTES, size - offset)
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
      if (bytesRead === 0) break
      if (last !== null) yield last
      last = buffer.subarray(0, bytesRead)
      hash.update(last)
    }
    if (hash.digest('hex') !== sha256) throw new ServiceError('corrupt', `${path} is not what its manifest promises`)
    if (last !== null) yield last
  } finally {
    await file.close()
  }
}

/** Returns the SHA-256 of an object, in hex; null when there is none. */
export async function hashOfObject(store: ObjectStore, key: string): Promise<string | null> {
  const stream = await store.get(key)
  if (stream === null) return null
  const hash = createHash('sha256')
  for await (const bytes of stream) hash.update(bytes)
  return hash.digest('hex')
}
