import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { checkRatio } from '../../files/gzip-ratio.ts'
import { streamPlain } from '../../files/plain-file.ts'
import { inGib } from './bundle-limits.ts'
import { refusal } from './bundle-problems.ts'

const LF = 10
const CR = 13
const CHUNK_BYTES = 1 << 18

/**
 * Yields the bytes of a bundle file, uncompressed.
 *
 * @param maxBytes how many a gzip file may hold
 * @throws zlib's error where a gzip file is damaged; ServiceError invalid_bundle where it holds more
 */
export async function* openBundleFile(path: string, maxBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const file = await streamPlain(path, CHUNK_BYTES)
  if (!path.endsWith('.gz')) {
    yield* file
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  file.on('error', (error) => gunzip.destroy(error))
  try {
    let length = 0
    for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
      length += chunk.length
      checkRatio(basename(path), length, file.bytesRead)
      if (length > maxBytes) throw refusal(basename(path), `must have at most ${inGib(maxBytes)} unpacked`)
      yield chunk
    }
  } finally {
    file.destroy()
  }
}

/** Counts the records behind the header of a CSV without line breaks in its cells: its lines that are not empty. */
export async function countRecords(path: string, maxBytes: number, signal: AbortSignal): Promise<number> {
  let lines = 0
  let length = 0
  for await (const chunk of openBundleFile(path, maxBytes)) {
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
