import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import {
  type Entry,
  type ExtraField,
  fromRandomAccessReaderPromise,
  parseExtraFields,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl'
import { shownName } from './stored-names.ts'

/** A ZIP file that contradicts itself; `message` is the rule that it breaks, to follow its name. */
export class DamagedZip extends Error {}

/** Entries of a ZIP file, in order, each of which can be streamed. */
export type ZipEntries = {
  /** Yields the entries of the central directory. Their names must match the local headers. @throws DamagedZip */
  list: () => AsyncGenerator<Entry>
  /** Streams an entry, decompressed. Its length and CRC-32 must match the directory. @throws DamagedZip */
  stream: (entry: Entry) => AsyncGenerator<Buffer>
}

const CHUNK_BYTES = 1 << 18
const STORED = 0
const UTF8_NAMES = 0x800
/** Id of the extra field with a name in UTF-8, which takes precedence. */
const UNICODE_NAME = 0x7075
/** Signatures of records that may follow a directory's last entry: the end, the end in ZIP64, a signature. */
const AFTER_ENTRIES = [0x06054b50, 0x06064b50, 0x05054b50]

/**
 * Opens a ZIP file, whose checksums are verified as it is read. The caller closes the file.
 *
 * @param strictFileNames refuses backslashes in names
 * @throws what yauzl throws for an archive that breaks its format
 */
export async function openZipEntries(file: FileHandle, { strictFileNames = false } = {}): Promise<ZipEntries> {
  const { size } = await file.stat()
  const reader = new BoundedReader(file, size)
  const zip = await fromRandomAccessReaderPromise(reader, size, { autoClose: false, strictFileNames })
  return {
    list: () => listEntries(zip, file),
    stream: (entry) => streamEntry(zip, entry, file),
  }
}

/**
 * Reader of a file for yauzl, which requires a class. Its own passes any offset from the zip to Node, which throws for
 * some 64-bit ones, where nobody catches it.
 */
class BoundedReader extends RandomAccessReader {
  private file: FileHandle
  private size: number
  constructor(file: FileHandle, size: number) {
    super()
    this.file = file
    this.size = size
  }
  override read(...[buffer, offset, length, position, callback]: Parameters<RandomAccessReader['read']>): void {
    if (position + length > this.size) {
      callback(new DamagedZip('names places behind its end'))
      return
    }
    this.file.read(buffer, offset, length, position).then(({ bytesRead }) => {
      callback(bytesRead < length ? new DamagedZip('was cut short while it was read') : null)
    }, callback)
  }
}

/**
 * Lists the entries and checks their names, which have no checksum: each occurs twice, and what follows the last entry
 * shows that none is missing.
 */
async function* listEntries(zip: ZipFile, file: FileHandle): AsyncGenerator<Entry> {
  for await (const entry of zip.eachEntry()) {
    const local = await zip.readLocalFileHeaderPromise(entry)
    const isUtf8 = (one: { generalPurposeBitFlag: number }) => (one.generalPurposeBitFlag & UTF8_NAMES) !== 0
    const unicode = unicodeName(entry.extraFields)
    const localUnicode = unicodeName(parseExtraFields(local.extraField)) ?? unicode
    const isSame =
      local.fileName.equals(entry.fileNameRaw) &&
      isUtf8(local) === isUtf8(entry) &&
      (localUnicode === unicode || (unicode !== undefined && localUnicode?.equals(unicode)))
    if (!isSame) throw new DamagedZip(`gives ${shownName(entry.fileName)} two names`)
    yield entry
  }
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, Number(zip.readEntryCursor))
  if (!AFTER_ENTRIES.includes(buffer.readUInt32LE(0))) throw new DamagedZip('lists more parts than it counts')
}

function unicodeName(fields: ExtraField[]): Buffer | undefined {
  return fields.find(({ id }) => id === UNICODE_NAME)?.data
}

async function* streamEntry(zip: ZipFile, entry: Entry, file: FileHandle): AsyncGenerator<Buffer> {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const packed = packedBytes(file, fileDataStart, fileDataStart + entry.compressedSize)
  let [checksum, size] = [0, 0]
  for await (const chunk of entry.compressionMethod === STORED ? packed : inflate(packed)) {
    size += chunk.length
    if (size > entry.uncompressedSize) break
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  if (size !== entry.uncompressedSize || checksum !== entry.crc32)
    throw new DamagedZip(`has a damaged part ${shownName(entry.fileName)}`)
}

async function* packedBytes(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const { buffer, bytesRead } = await file.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      Math.min(CHUNK_BYTES, end - at),
      at,
    )
    if (bytesRead === 0) throw new DamagedZip('was cut short while it was read')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function* inflate(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed)
  const inflated = createInflateRaw({ chunkSize: CHUNK_BYTES })
  source.on('error', (error) => inflated.destroy(error))
  try {
    yield* source.pipe(inflated)
  } finally {
    source.destroy()
  }
}
