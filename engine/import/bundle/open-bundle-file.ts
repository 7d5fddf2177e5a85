import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { checkRatio } from '../../files/gzip-ratio.ts'
import { streamPlain } from '../../files/plain-file.ts'
import { type SampleLimits, unpackedLimit } from './bundle-limits.ts'
import { refusal } from './bundle-problems.ts'

const LF = 10
const CR = 13
const CHUNK_BYTES = 1 << 18

/**
 * Yields the bytes of a bundle file, uncompressed.
 *
 * @param limits what a gzip file may hold; none where its reader bounds it
 * @throws zlib's error where a gzip file is damaged; ServiceError invalid_bundle where it holds more
 */
export async function* openBundleFile(path: string, limits: SampleLimits | null = null): AsyncGenerator<Buffer> {
  const file = await streamPlain(path, CHUNK_BYTES)
  if (!path.endsWith('.gz')) {
    yield* file
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  file.on('error', (error) => gunzip.destroy(error))
  try {
    const { mostBytes, rule } = limits ? unpackedLimit(limits) : { mostBytes: Number.POSITIVE_INFINITY, rule: '' }
    let length = 0
    for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > mostBytes) throw refusal(basename(path), rule)
      checkRatio(basename(path), length, file.bytesRead)
      yield chunk
    }
  } finally {
    file.destroy()
  }
}

/** A bundle's CSV as read from end to end: the SHA-256 of its bytes, uncompressed, in hex, and how many records it has. */
export type CsvDigest = { sha256: string; records: number }

/**
 * Reads a CSV without line breaks in its cells from end to end. Its records are the lines behind the header that are not empty.
 *
 * @throws AbortError when `signal` aborts; zlib's error where a gzip file is damaged; ServiceError invalid_bundle where it holds more
 */
export async function digestCsv(path: string, limits: SampleLimits | null, signal: AbortSignal): Promise<CsvDigest> {
  const hash = createHash('sha256')
  let lines = 0
  let length = 0
  for await (const chunk of openBundleFile(path, limits)) {
    signal.throwIfAborted()
    hash.update(chunk)
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
  return { sha256: hash.digest('hex'), records: lines + (length > 0 ? 1 : 0) - 1 }
}
