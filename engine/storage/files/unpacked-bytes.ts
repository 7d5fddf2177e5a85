import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { checkRatio } from './gzip-ratio.ts'
import { streamPlain, withPlain } from './plain-file.ts'

const REST_BYTES = 1 << 16

/**
 * Streams a regular file, decompressed if it is gzip.
 *
 * @param name of the file, for sentences
 * @param onBytes called before each piece with the bytes up to its end, and those of the file that were read; what it
 * throws ends it all
 * @throws NotPlain; zlib's error where a gzip file is damaged, cut short, or holds anything but zeros behind its end;
 * ServiceError invalid_bundle for a bomb
 */
export async function* unpackedBytes(
  path: string,
  given: { name?: string; isGzip: boolean; chunkBytes: number; onBytes?: (bytes: number, readBytes: number) => void },
): AsyncGenerator<Buffer> {
  const { name = basename(path), isGzip, chunkBytes, onBytes } = given
  const file = await streamPlain(path, chunkBytes)
  const gunzip = isGzip ? file.pipe(createGunzip({ chunkSize: chunkBytes })) : null
  const source = gunzip ?? file
  if (gunzip) file.on('error', (error) => gunzip.destroy(error))
  let bytes = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length
      onBytes?.(bytes, file.bytesRead)
      checkRatio(name, bytes, file.bytesRead)
      yield chunk
    }
    // zlib takes zeros for the end, and forgets whatever follows them.
    if (gunzip) await requireZeros(path, gunzip.bytesWritten)
  } finally {
    file.destroy()
  }
}

/** Checks that the rest of a gzip file is padding with zeros. */
function requireZeros(path: string, from: number): Promise<void> {
  return withPlain(path, async (file) => {
    const buffer = Buffer.alloc(REST_BYTES)
    for (let at = from; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      if (buffer.subarray(0, bytesRead).some((byte) => byte !== 0))
        throw Object.assign(new Error('holds more behind the zeros at its end'), { code: 'Z_DATA_ERROR' })
    }
  })
}
