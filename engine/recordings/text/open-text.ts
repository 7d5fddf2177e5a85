import { ServiceError } from '../../model/errors.ts'
import { unpackedBytes } from '../../storage/files/unpacked-bytes.ts'
import { partText } from './part-text.ts'
import type { SourceFile } from './source-files.ts'

const CHUNK_BYTES = 1 << 20

/** A text file, or a table in a workbook or an HDF5 file, to decode. */
type TextFileInfo = Omit<SourceFile, 'state' | 'head' | 'isWholeHead' | 'magic'>

/**
 * Yields the text of a file or sheet as UTF-8 bytes, decompressed and without byte order mark; chunks may end anywhere.
 *
 * @throws ServiceError invalid_bundle if a gzip file is damaged, truncated or unpacks to too much, or if the text
 * contains zero bytes
 */
export async function* openText(info: TextFileInfo): AsyncGenerator<Uint8Array> {
  const { encoding } = info
  const recode = encoding === 'utf-8' ? null : new TextDecoder(encoding)
  let isFirst = true
  for await (const chunk of openBytes(info)) {
    let bytes: Uint8Array = recode ? Buffer.from(recode.decode(chunk, { stream: true })) : chunk
    if (isFirst && bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
      bytes = bytes.subarray(3)
    if (bytes.length > 0) isFirst = false
    refuseZeros(bytes, info)
    yield bytes
  }
  if (recode) yield Buffer.from(recode.decode())
}

/** Refuses text with zero bytes, which a disk that lost power leaves in place of the last writes. */
function refuseZeros(bytes: Uint8Array, { name }: TextFileInfo): void {
  if (bytes.includes(0))
    throw new ServiceError(
      'invalid_bundle',
      `${name} holds zero bytes in place of text, so it is damaged: copy it again`,
    )
}

async function* openBytes(info: TextFileInfo): AsyncGenerator<Uint8Array> {
  const { path, name, sheet } = info
  if (sheet !== null) {
    yield* partText({ path, name, sheet }, (share) => {
      info.readBytes = Math.round(share * info.sizeBytes)
    })
    return
  }
  const { isGzip, unpacked } = info
  const onBytes = (bytes: number, readBytes: number) => {
    info.readBytes = readBytes
    if (isGzip && bytes > unpacked.mostBytes) throw new ServiceError('invalid_bundle', `${name} ${unpacked.rule}`)
  }
  try {
    yield* unpackedBytes(path, { name, isGzip, chunkBytes: CHUNK_BYTES, onBytes })
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException)?.code).startsWith('Z_')) throw error
    throw new ServiceError('invalid_bundle', `${name} is a damaged or truncated gzip file: copy it again`, {
      cause: error,
    })
  }
}
