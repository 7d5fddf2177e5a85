import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { checkRatio } from './gzip-ratio.ts'
import { streamPlain } from './plain-file.ts'

/**
 * Yields the bytes of a regular file, unpacked if it is gzipped.
 *
 * @param name of the file, for sentences
 * @param onBytes called before each piece with the bytes up to its end, and those of the file that were read; what it throws ends it all
 * @throws NotPlain; zlib's error where a gzip file is damaged or cut short; ServiceError invalid_bundle for a bomb
 */
export async function* unpackedBytes(
  path: string,
  {
    name = basename(path),
    isGzip,
    chunkBytes,
    onBytes,
  }: { name?: string; isGzip: boolean; chunkBytes: number; onBytes?: (bytes: number, readBytes: number) => void },
): AsyncGenerator<Buffer> {
  const file = await streamPlain(path, chunkBytes)
  const source = isGzip ? file.pipe(createGunzip({ chunkSize: chunkBytes })) : file
  if (isGzip) file.on('error', (error) => source.destroy(error))
  let bytes = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length
      onBytes?.(bytes, file.bytesRead)
      checkRatio(name, bytes, file.bytesRead)
      yield chunk
    }
  } finally {
    file.destroy()
  }
}
