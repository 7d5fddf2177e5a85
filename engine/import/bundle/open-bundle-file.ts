import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { unpackedBytes } from '../../files/unpacked-bytes.ts'
import { refusal } from '../../model/bundle-problems.ts'
import { countByte } from '../../text/count-byte.ts'
import { type SampleLimits, unpackedLimit } from './bundle-limits.ts'

const LF = 10
const CR = 13
const COMMA = 44
const CHUNK_BYTES = 1 << 18

/**
 * Returns the bytes of a bundle file, uncompressed, piece by piece.
 *
 * @param limits what a gzip file may hold; none where its reader bounds it
 * @throws zlib's error where a gzip file is damaged; ServiceError invalid_bundle where it holds more
 */
export function openBundleFile(path: string, limits: SampleLimits | null = null): AsyncGenerator<Buffer> {
  const isGzip = path.endsWith('.gz')
  const limit = isGzip && limits !== null ? unpackedLimit(limits) : null
  const onBytes = (bytes: number) => {
    if (limit !== null && bytes > limit.mostBytes) throw refusal(basename(path), limit.rule)
  }
  return unpackedBytes(path, { isGzip, chunkBytes: CHUNK_BYTES, onBytes })
}

/**
 * A bundle's CSV as read from end to end: the SHA-256 of its bytes, uncompressed, in hex, how many records it has, and
 * how many commas, those of the header among them.
 */
export type CsvDigest = { sha256: string; records: number; commas: number }

/**
 * Reads a CSV without line breaks in its cells from end to end. Its records are the lines behind the header that are
 * not empty.
 *
 * @throws AbortError when `signal` aborts; zlib's error where a gzip file is damaged; ServiceError invalid_bundle where
 * it holds more
 */
export async function digestCsv(path: string, limits: SampleLimits | null, signal: AbortSignal): Promise<CsvDigest> {
  const hash = createHash('sha256')
  let lines = 0
  let length = 0
  let commas = 0
  for await (const chunk of openBundleFile(path, limits)) {
    signal.throwIfAborted()
    hash.update(chunk)
    commas += countByte(chunk, COMMA)
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
  return { sha256: hash.digest('hex'), records: lines + (length > 0 ? 1 : 0) - 1, commas }
}
