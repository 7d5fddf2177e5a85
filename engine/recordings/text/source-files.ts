import { isUtf8 } from 'node:buffer'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { SAMPLE_LIMITS, type SampleLimits, unpackedLimit } from '../../import/bundle/bundle-limits.ts'
import { ServiceError } from '../../model/errors.ts'
import { isCode } from '../../model/system-errors.ts'
import { closing } from '../../storage/concurrency/closing.ts'
import { stateOf } from '../../storage/files/file-state.ts'
import { NotPlain, openPlain } from '../../storage/files/plain-file.ts'
import { comparePaths, partsThatDiffer } from './file-names.ts'
import { partsOf, partText, ZIP } from './part-text.ts'

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** A file that was given, or found in a given folder, and its beginning. */
export type SourceFile = {
  path: string
  /** Path relative to the given folder, with `/`. */
  name: string
  sizeBytes: number
  /** State of the file when it was found; see `checkUnchanged`. */
  state: string
  /** Bytes that a reader has read so far, as stored on disk, for progress. */
  readBytes: number
  isGzip: boolean
  /** Largest unpacked size, and the rule that sets it. */
  unpacked: { mostBytes: number; rule: string }
  /** Sheet of a workbook, or path in an HDF5 file, that holds this table; null for a whole file. */
  sheet: string | null
  encoding: Encoding
  /** First 64 KiB of text (decompressed, without byte order mark); '' if it is not text. */
  head: string
  /** True if `head` is the whole file. */
  isWholeHead: boolean
  /** First bytes as stored on disk, if it is not text. */
  magic: string
}

const HEAD_BYTES = 1 << 16
/** Upper bound of gzip's compression ratio. */
const GZIP_MOST = 1040
/** Largest number of files: the beginnings of all are held in memory. */
const FILES_MAX = 20_000
const HEADS_MAX_BYTES = 1 << 27

type Found = { path: string; name: string }

/**
 * Finds the files at these paths, including those in folders, each once, in the natural order of their names, which
 * are all different. A given link is followed; links in folders must lead to files of the same folder, as DataLad
 * makes them, otherwise they are refused.
 *
 * @throws ServiceError not_found or usage, naming the path
 */
export async function findSourceFiles(paths: string[], limits = SAMPLE_LIMITS): Promise<SourceFile[]> {
  const found = new Map<string, Found>()
  for (const { path, name } of nameGiven(paths)) {
    const root = await resolved(path)
    for await (const one of walk({ path: root, name }, root)) {
      found.set(one.path, one)
      if (found.size <= FILES_MAX) continue
      throw new ServiceError('usage', `${path} holds more than ${FILES_MAX} files: give those of the recordings alone`)
    }
  }
  if (found.size === 0)
    throw new ServiceError('usage', `there is no file to read in ${paths.map((path) => basename(path)).join(', ')}`)
  const sorted = [...found.values()].sort((a, b) => comparePaths(a.name, b.name))
  const files: SourceFile[] = []
  let headBytes = 0
  for (const { path, name } of sorted) {
    for (const file of await readHeads(path, name, limits)) {
      headBytes += file.head.length
      if (headBytes > HEADS_MAX_BYTES)
        throw new ServiceError('usage', 'these are too many files at once: import them in parts')
      files.push(file)
    }
  }
  return files
}

/**
 * Checks, after reading, that files are as they were found.
 *
 * @throws ServiceError invalid_bundle if one has changed, since parts of both versions would be mixed
 */
export async function checkSourcesUnchanged(files: SourceFile[]): Promise<void> {
  for (const { path, name, state } of files)
    if (stateOf(await lstat(path, { bigint: true })) !== state)
      throw new ServiceError('invalid_bundle', `${name} must not change while it is read`)
}

/** Names given paths by their last parts and, if these are equal, also by the folders that differ. */
function nameGiven(paths: string[]): Found[] {
  const alike = new Map<string, Set<string>>()
  for (const path of paths) alike.set(basename(path), (alike.get(basename(path)) ?? new Set()).add(path))
  return [...alike].flatMap(([name, group]) => {
    const folders = partsThatDiffer([...group].map((path) => dirname(path).split(sep)))
    return [...group].map((path, i) => ({ path, name: [...folders[i], name].join('/') }))
  })
}

async function* walk({ path, name }: Found, root: string): AsyncGenerator<Found> {
  const found = await look(path, lstat)
  if (found.isFile()) yield { path, name }
  else if (found.isSymbolicLink()) yield { path: await linkedFile(path, root), name }
  else if (!found.isDirectory()) throw new ServiceError('usage', `${path} is neither a file nor a folder`)
  else {
    const entries = (await readdir(path)).filter((entry) => !entry.startsWith('.')).sort()
    for (const entry of entries) yield* walk({ path: join(path, entry), name: `${name}/${entry}` }, root)
  }
}

/** Resolves a link to a file in the given folder. */
async function linkedFile(path: string, root: string): Promise<string> {
  const target = await resolved(path)
  if (target.startsWith(root + sep) && (await look(target, lstat)).isFile()) return target
  throw new ServiceError('usage', `${path} is a link that leads to no file of the folder that was given`)
}

function resolved(path: string): Promise<string> {
  return look(path, (one) => realpath(one))
}

async function look<T>(path: string, how: (path: string) => Promise<T>): Promise<T> {
  try {
    return await how(path)
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) throw new ServiceError('not_found', `there is no ${path}`, { cause: error })
    if (isCode(error, 'EACCES', 'EPERM')) throw new ServiceError('usage', `${path} cannot be read`, { cause: error })
    throw error
  }
}

/** Reads the beginning of a file; for a workbook or an HDF5 file, the beginning of each table that is not empty. */
async function readHeads(path: string, name: string, limits: SampleLimits): Promise<SourceFile[]> {
  const file = await readHead(path, name, limits)
  const sheets = await partsOf(file.magic, path, name)
  if (sheets === null) return [file]
  const heads: SourceFile[] = []
  for (const { name: sheetName, part } of sheets) {
    const { head, isWhole } = await sheetHead({ path, name, sheet: part })
    // In names, a slash separates folders.
    const own = `${name} (${sheetName.replaceAll('/', ' ')})`
    if (head.trim() !== '') heads.push({ ...file, name: own, sheet: part, head, isWholeHead: isWhole })
  }
  return heads.length === 1 ? [{ ...heads[0], name }] : heads.length === 0 ? [file] : heads
}

async function sheetHead(of: { path: string; name: string; sheet: string }) {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of partText(of)) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= HEAD_BYTES) break
  }
  const isWhole = length < HEAD_BYTES
  return { head: new TextDecoder().decode(Buffer.concat(chunks).subarray(0, HEAD_BYTES)), isWhole }
}

async function readHead(path: string, name: string, limits: SampleLimits): Promise<SourceFile> {
  return closing(await openReadable(path), async (file) => {
    const status = await file.stat({ bigint: true })
    const size = Number(status.size)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const raw = buffer.subarray(0, bytesRead)
    const isGzip = raw[0] === 0x1f && raw[1] === 0x8b
    const bytes = isGzip ? unzipHead(raw) : raw
    const isWholeHead = bytesRead === size && bytes.length < HEAD_BYTES
    const encoding = encodingOf(bytes, isWholeHead)
    const magic = raw.subarray(0, 16).toString('latin1')
    const isText = encoding !== null && !magic.startsWith(ZIP)
    return {
      path,
      name,
      sizeBytes: size,
      state: stateOf(status),
      readBytes: 0,
      isGzip,
      unpacked: unpackedLimit(limits),
      sheet: null,
      encoding: encoding ?? 'utf-8',
      head: isText ? new TextDecoder(encoding).decode(bytes) : '',
      isWholeHead,
      magic,
    }
  })
}

async function openReadable(path: string) {
  try {
    return await openPlain(path)
  } catch (error) {
    if (error instanceof NotPlain) throw new ServiceError('usage', `${path} ${error.message}`, { cause: error })
    if (isCode(error, 'EACCES', 'EPERM')) throw new ServiceError('usage', `${path} cannot be read`, { cause: error })
    throw error
  }
}

function unzipHead(raw: Buffer): Buffer {
  try {
    return gunzipSync(raw, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: GZIP_MOST * HEAD_BYTES }).subarray(
      0,
      HEAD_BYTES,
    )
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * Detects the encoding: by the byte order mark, otherwise by the positions of zero bytes, otherwise UTF-8 if valid;
 * other text is assumed to be in Windows-1252. Returns null if it is not text.
 */
function encodingOf(bytes: Buffer, isWhole: boolean): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, 4096)
  const zeros = [0, 0]
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2]++
  if (zeros[0] + zeros[1] > 0) {
    const most = sample.length / 2
    if (zeros[1] > most * 0.6 && zeros[0] < most * 0.1) return 'utf-16le'
    if (zeros[0] > most * 0.6 && zeros[1] < most * 0.1) return 'utf-16be'
    return null
  }
  // A head may end inside a character.
  for (let cut = 0; cut < (isWhole ? 1 : 4) && cut <= bytes.length; cut++)
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return 'utf-8'
  return 'windows-1252'
}
