import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { refusal } from '../../model/bundle-problems.ts'
import { unpackedBytes } from '../../storage/files/unpacked-bytes.ts'
import { countByte } from '../../text/count-byte.ts'
import { type SampleLimits, unpackedLimit } from './bundle-limits.ts'

const LF = 10
const CR = 13
const COMMA = 44
const CHUNK_BYTES = 1 << 18

/**
 * Streams the uncompressed bytes of a bundle file.
 *
 * @param limits of the uncompressed size; none if the reader limits it
 * @throws zlib's error if a gzip file is damaged; ServiceError invalid_bundle if it is too large
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
 * Facts about a whole CSV of a bundle: the SHA-256 (hex) of its uncompressed bytes, and the numbers of its records and
 * commas, including those of the header.
 */
export type CsvDigest = { sha256: string; records: number; commas: number }

/**
 * Reads a whole CSV without line breaks in its cells. Its records are the nonempty lines after the header.
 *
 * @throws AbortError if `signal` aborts; zlib's error if a gzip file is damaged; ServiceError invalid_bundle if it is
 * too large
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
