import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const LF = 10
const CR = 13

/** The bytes of a bundle file, uncompressed. A damaged gzip file makes the stream fail. */
export function openBundleFile(path: string): Readable & AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 18 })
  if (!path.endsWith('.gz')) return file
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  file.on('error', (error) => gunzip.destroy(error))
  gunzip.on('close', () => file.destroy())
  return file.pipe(gunzip)
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
