import { createGunzip } from 'node:zlib'
import { streamPlain } from '../../files/plain-file.ts'

const LF = 10
const CR = 13
const CHUNK_BYTES = 1 << 18

/** Yields the bytes of a bundle file, uncompressed. @throws zlib's error where a gzip file is damaged */
export async function* openBundleFile(path: string): AsyncGenerator<Buffer> {
  const file = await streamPlain(path, CHUNK_BYTES)
  if (!path.endsWith('.gz')) {
    yield* file
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  file.on('error', (error) => gunzip.destroy(error))
  try {
    yield* file.pipe(gunzip)
  } finally {
    file.destroy()
  }
}

/** Counts the records behind the header of a CSV without line breaks in its cells: its lines that are not empty. */
export async function countRecords(path: string, signal: AbortSignal): Promise<number> {
  let lines = 0
  let length = 0
  for await (const chunk of openBundleFile(path)) {
    signal.throwIfAborted()
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      length += end - start
      const isEmpty = length === 0 || (length === 1 && chunk[end - 1] === CR)
      if (!isEmpty) lines++
      length = 0
      start = end + 1
    }
    length += chunk.length - start
  }
  return lines + (length > 0 ? 1 : 0) - 1
}
