import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Parser, type ReadEntry } from 'tar'
import { ServiceError } from '../model/errors.ts'
import { makeDirectory } from '../storage/files/durable.ts'
import { shownName } from '../storage/files/stored-names.ts'
import { unpackedBytes } from '../storage/files/unpacked-bytes.ts'
import type { Rules, Unpacking } from './archive-rules.ts'

const TAR_FILES = ['File', 'OldFile', 'ContiguousFile']
const SPARSE = 'a sparse file'
const DEVICE = 'a device or a pipe'
const TAR_TYPES: Record<string, string> = {
  Link: 'a link',
  SymbolicLink: 'a link',
  CharacterDevice: DEVICE,
  BlockDevice: DEVICE,
  FIFO: DEVICE,
  SparseFile: SPARSE,
}
/** Header types of an archive or an entry that are not entries themselves. */
const TAR_REMARKS = ['TapeVolumeHeader', 'SolarisACL', 'Inode']
/** Pax keywords of GNU tar for a sparse file, which holds only its nonzero bytes, and for its name. */
const GNU_SPARSE = /^\d+ GNU\.sparse\.\w/m
const POSIX_NAME = /^\d+ (?:GNU\.sparse\.name|path)=(.*)$/m
const CHUNK_BYTES = 1 << 18
const BLOCK_BYTES = 512
const EMPTY_BLOCK = Buffer.alloc(BLOCK_BYTES)

/** Unpacks a tar. After a failure, no file is open and nothing more is written. */
export async function untar({ path, directory, signal }: Unpacking, rules: Rules, isGzip: boolean): Promise<void> {
  /** Signal that the first fault of any stage aborts; no file stays open after it. */
  const stop = new AbortController()
  const fail = (error: unknown): void => stop.abort(error)
  let written = Promise.resolve()
  const parser = new Parser({
    strict: true,
    filter: (_path, entry) => !stop.signal.aborted && isTaken(entry as ReadEntry, rules, fail),
    onReadEntry: (entry) => {
      written = written.then(() => writeEntry(entry, directory, stop.signal)).catch(fail)
    },
  })
  const refuse = (what: string) => fail(new ServiceError('usage', `${basename(path)} ${what}`))
  let isEnded = false
  parser.on('nullBlock', () => {
    isEnded = true
  })
  let isOver = false
  parser.on('eof', () => {
    isOver = true
  })
  parser.on('meta', (text: string) => {
    if (!GNU_SPARSE.test(text)) return
    const name = POSIX_NAME.exec(text)?.[1]
    refuse(
      `holds ${name ? `${shownName(name)}, which is ${SPARSE}` : SPARSE}: it must hold plain files and folders only`,
    )
  })
  parser.on('error', fail)
  // The library does not report entries of kinds that it does not unpack.
  parser.on('ignoredEntry', (entry: ReadEntry) => {
    if (tarType(entry) !== null && !TAR_REMARKS.includes(entry.type)) isTaken(entry, rules, fail)
  })
  const closed = once(parser, 'close', stop)
  closed.catch(fail)
  try {
    for await (const blocks of wholeBlocks(unpackedBytes(path, { isGzip, chunkBytes: CHUNK_BYTES }))) {
      signal?.throwIfAborted()
      stop.signal.throwIfAborted()
      if (!isOver) {
        if (!parser.write(blocks)) await once(parser, 'drain', stop)
        continue
      }
      // The library would buffer it. Programs write only zeros there.
      if (!isEmptyBlock(blocks, 0)) refuse('holds more behind its end, such as another archive: pack it anew')
    }
    parser.end()
    await closed
    // A tar that is truncated between two entries would look like a smaller archive.
    if (!isEnded) throw new Error('no empty block at the end of a tar')
  } catch (error) {
    fail(error)
  }
  await written
  stop.signal.throwIfAborted()
}

function isTaken(entry: ReadEntry, rules: Rules, fail: (error: unknown) => void): boolean {
  try {
    return rules.take(entry.path.replace(/^(\.\/)+/, '') || 'archive', entry.size, tarType(entry))
  } catch (error) {
    fail(error)
    return false
  }
}

function tarType(entry: ReadEntry): string | null {
  if (isFolder(entry)) return 'folder'
  if (!TAR_FILES.includes(entry.type)) return TAR_TYPES[entry.type] ?? 'of no known kind'
  return null
}

function isFolder({ type }: ReadEntry): boolean {
  return type === 'Directory' || type === 'GNUDumpDir'
}

async function writeEntry(entry: ReadEntry, directory: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const to = join(directory, entry.path)
  await makeDirectory(isFolder(entry) ? to : dirname(to), 0o700)
  if (isFolder(entry)) {
    entry.resume()
    return
  }
  const file = addAbortSignal(signal, createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  const fileClosed = new Promise<void>((resolve) => file.once('close', resolve))
  try {
    await finished(entry.pipe(file))
  } finally {
    await fileClosed
  }
}

/**
 * Yields 512-byte blocks, joined up to each empty one: an archive ends after two empty blocks, so its end is the end of
 * a piece.
 */
async function* wholeBlocks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let start = 0
    let end = 0
    while (end + BLOCK_BYTES <= all.length) {
      const isEmpty = isEmptyBlock(all, end)
      end += BLOCK_BYTES
      if (!isEmpty) continue
      yield all.subarray(start, end)
      start = end
    }
    if (end > start) yield all.subarray(start, end)
    rest = all.subarray(end)
  }
  if (rest.length > 0) yield rest
}

function isEmptyBlock(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== 0) return false
  const block = bytes.subarray(at, at + BLOCK_BYTES)
  return block.equals(EMPTY_BLOCK.subarray(0, block.length))
}
