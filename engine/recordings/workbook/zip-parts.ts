import type { FileHandle } from 'node:fs/promises'
import type { Entry } from 'yauzl'
import { openZipEntries, type ZipEntries } from '../../storage/files/zip-entries.ts'
import { DamagedWorkbook } from './damaged-workbook.ts'

/** Parts of a zip archive by name, each as a stream. */
export type ZipParts = {
  has: (name: string) => boolean
  /**
   * Yields an uncompressed part, checked against the archive's length and CRC-32 at its end.
   *
   * @param onShare receives the share read so far, 0 to 1
   */
  stream: (name: string, onShare?: (share: number) => void) => AsyncGenerator<Buffer>
  /** Returns the sizes of a part that the archive states; `stream` holds it to them. */
  sizes: (name: string) => { packedBytes: number; bytes: number }
}

/** Largest number of parts; a workbook has one for each sheet and picture. */
const PARTS_MAX = 20_000

/**
 * Lists the parts of a zip archive. The caller closes the file.
 *
 * @throws DamagedWorkbook; DamagedZip; yauzl's error for an archive that breaks its format
 */
export async function openZipParts(file: FileHandle): Promise<ZipParts> {
  const zip = await openZipEntries(file)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.list()) {
    if (entries.has(entry.fileName)) throw new DamagedWorkbook(`holds ${entry.fileName} twice`)
    entries.set(entry.fileName, entry)
    if (entries.size > PARTS_MAX) throw new DamagedWorkbook(`has more than ${PARTS_MAX} parts`)
  }
  return {
    has: (name) => entries.has(name),
    stream: (name, onShare) => streamPart(zip, name, entries.get(name), onShare),
    sizes: (name) => {
      const { compressedSize = 0, uncompressedSize = 0 } = entries.get(name) ?? {}
      return { packedBytes: compressedSize, bytes: uncompressedSize }
    },
  }
}

async function* streamPart(
  zip: ZipEntries,
  name: string,
  entry: Entry | undefined,
  onShare?: (share: number) => void,
): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new DamagedWorkbook(`has no part ${name}`)
  if (!entry.canDecodeFileData()) throw new DamagedWorkbook(`has a part ${name} that is encrypted, or packed otherwise`)
  let size = 0
  for await (const chunk of zip.stream(entry)) {
    size += chunk.length
    onShare?.(size / entry.uncompressedSize)
    yield chunk
  }
}
