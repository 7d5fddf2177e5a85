import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gunzipSync, constants as zlib } from 'node:zlib'
import { type ReadEntry, Unpack } from 'tar'
import { type Entry, openPromise } from 'yauzl'
import { isCode } from '../files/durable.ts'
import { checkRatio } from '../files/gzip-ratio.ts'
import { streamPlain, withPlain } from '../files/plain-file.ts'
import { SAMPLE_LIMITS } from '../import/bundle/bundle-limits.ts'
import { ServiceError } from '../model/errors.ts'
import { openZipParts } from '../recordings/workbook/zip-parts.ts'

type ArchiveKind = 'zip' | 'tar' | 'tar.gz'

type Unpacking = { path: string; directory: string; maxBytes?: number; signal?: AbortSignal }

const ENTRIES_MAX = 20_000
const NAME_MAX_BYTES = 255
const DEPTH_MAX = 16
const TAR_BLOCK = 512
const HEAD_BYTES = 1 << 14
const OFFICE_PART = '[Content_Types].xml'

/** Files that operating systems add to archives. */
const BY_SYSTEMS = /(^|\/)(__MACOSX(\/|$)|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/

/** Tells by a file's first bytes whether it is an archive; null for any other file, for folders, and for what is not there. */
export async function archiveKind(path: string): Promise<ArchiveKind | null> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return null
  const head = await withPlain(path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  })
  if (head.subarray(0, 2).toString('latin1') === 'PK') return (await isOfficeFile(path)) ? null : 'zip'
  if (isTar(head)) return 'tar'
  return head[0] === 0x1f && head[1] === 0x8b && isTar(unzipped(head)) ? 'tar.gz' : null
}

/** Returns whether a zip is a spreadsheet or the like, which is one file to people: it is read as a recording, or refused as one. */
async function isOfficeFile(path: string): Promise<boolean> {
  if (/\.(xls[xmb]|ods)$/i.test(path)) return true
  return withPlain(path, async (file) => (await openZipParts(file)).has(OFFICE_PART)).catch(() => false)
}

/** Looks for the mark that every tar since POSIX has in its first header. */
function isTar(head: Buffer): boolean {
  return head.length >= TAR_BLOCK && head.subarray(257, 262).toString('latin1') === 'ustar'
}

function unzipped(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: 1 << 25 }).subarray(0, TAR_BLOCK)
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * Unpacks plain files, and nothing else, into a new folder. What an archive claims to hold is compared with the limits before any of
 * it is written, and what it does hold with the claim.
 *
 * @param directory absolute; made here
 * @param maxBytes of all files together
 * @returns what operating systems had added, which is left out
 * @throws ServiceError usage, for links and devices, names that lead elsewhere, encryption, damage, and bombs; canceled
 */
export async function unpackArchive({ kind, ...unpacking }: Unpacking & { kind: ArchiveKind }): Promise<string[]> {
  const { path, directory, signal } = unpacking
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const rules = await openRules(unpacking)
  try {
    await (kind === 'zip' ? unzip(unpacking, rules) : untar(unpacking, rules, kind === 'tar.gz'))
  } catch (error) {
    if (signal?.aborted) throw new ServiceError('canceled', 'the import was stopped', { cause: error })
    if (error instanceof ServiceError || isCode(error, 'ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE')) throw error
    // The libraries' words may name paths of this machine.
    throw new ServiceError('usage', `${basename(path)} is an archive that is damaged or cut short: make it again`, {
      cause: error,
    })
  }
  return rules.left
}

/** Checks entries one by one, before they are written. `take` says whether one is to be written. */
type Rules = { take: (name: string, size: number, what: string | null) => boolean; left: string[] }

async function openRules({ path, maxBytes = SAMPLE_LIMITS.maxBytes }: Unpacking): Promise<Rules> {
  const archive = basename(path)
  const { size: packedBytes } = await stat(path)
  const seen = new Set<string>()
  const left: string[] = []
  let bytes = 0
  let entries = 0
  const refuse = (rule: string): never => {
    throw new ServiceError('usage', `${archive} ${rule}`)
  }
  return {
    left,
    take: (name, size, what) => {
      if (++entries > ENTRIES_MAX) refuse(`holds more than ${ENTRIES_MAX} files`)
      const fault = faultOf(name)
      if (fault !== null) refuse(`holds ${shown(name)}, a name that ${fault}`)
      if (what === 'folder') return true
      if (BY_SYSTEMS.test(name)) {
        left.push(name)
        return false
      }
      if (what !== null) refuse(`holds ${shown(name)}, which is ${what}: it must hold plain files and folders only`)
      if (seen.has(name)) refuse(`holds ${shown(name)} twice`)
      seen.add(name)
      bytes += size
      if (bytes > maxBytes) refuse(`holds more than ${maxBytes} bytes unpacked, which is all that an import may take`)
      checkRatio(archive, bytes, packedBytes)
      return true
    },
  }
}

/** Returns what is wrong with a name; null for one that stays within the folder. */
function faultOf(name: string): string | null {
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  if (/[\\\u0000-\u001f\u007f]/.test(name)) return 'holds a backslash or a control character'
  const parts = name.replace(/\/$/, '').split('/')
  if (parts.some((part) => part === '..' || part === '.' || part === '')) return 'leads elsewhere'
  if (parts.length > DEPTH_MAX) return `lies more than ${DEPTH_MAX} folders deep`
  if (parts.some((part) => Buffer.byteLength(part) > NAME_MAX_BYTES)) return `is longer than ${NAME_MAX_BYTES} bytes`
  return null
}

function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
}

const UNIX_TYPE = 0o170000
const UNIX_FILE = 0o100000
const UNIX_LINK = 0o120000
const STORED = 0
const DEFLATED = 8

async function unzip({ path, directory, signal }: Unpacking, rules: Rules): Promise<void> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch(refuseName)
  try {
    const taken: Entry[] = []
    // All of them are looked at before the first is written.
    for await (const entry of zip.eachEntry()) {
      const what = entry.fileName.endsWith('/') ? 'folder' : zipType(entry)
      if (rules.take(entry.fileName, entry.uncompressedSize, what) && what === null) taken.push(entry)
    }
    for (const entry of taken) {
      const to = join(directory, entry.fileName)
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      const bytes = await zip.openReadStreamPromise(entry)
      await pipeline(bytes, createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal })
    }
  } catch (error) {
    refuseName(error)
  } finally {
    zip.close()
  }
}

/** The library refuses bad names itself, and says so in words that hold no path of ours. */
function refuseName(error: unknown): never {
  const message = error instanceof Error ? error.message : ''
  const named = /^(absolute path|invalid relative path|invalid characters in fileName): /.exec(message)
  if (named) {
    const name = message.slice(named[0].length)
    throw new ServiceError('usage', `the archive holds ${shown(name)}, a name that leads elsewhere`, { cause: error })
  }
  throw error
}

function zipType(entry: Entry): string | null {
  if (entry.isEncrypted()) return 'encrypted'
  if (![STORED, DEFLATED].includes(entry.compressionMethod)) return 'packed by a method other than deflate'
  const type = (entry.externalFileAttributes >>> 16) & UNIX_TYPE
  if (type === 0 || type === UNIX_FILE) return null
  return type === UNIX_LINK ? 'a link' : 'a device or a pipe'
}

const TAR_FILES = ['File', 'OldFile', 'ContiguousFile']
const TAR_TYPES: Record<string, string> = { Link: 'a link', SymbolicLink: 'a link' }

async function untar({ path, directory, signal }: Unpacking, rules: Rules, isGzip: boolean): Promise<void> {
  let fault: unknown = null
  const take = (entry: ReadEntry): boolean => {
    if (fault !== null) return false
    try {
      const { type, size } = entry
      const isFolder = type === 'Directory' || type === 'GNUDumpDir'
      const isFile = TAR_FILES.includes(type)
      const what = isFolder ? 'folder' : isFile ? null : (TAR_TYPES[type] ?? 'a device or a pipe')
      entry.mode = isFolder ? 0o700 : 0o600
      return rules.take(entry.path.replace(/^(\.\/)+/, '') || 'archive', size, what)
    } catch (error) {
      fault = error
      return false
    }
  }
  const unpack = new Unpack({
    cwd: directory,
    strict: true,
    noMtime: true,
    preserveOwner: false,
    filter: (_path, entry) => take(entry as ReadEntry),
  })
  const closed = once(unpack, 'close')
  closed.catch(() => undefined)
  for await (const chunk of plainBytes(path, isGzip)) {
    signal?.throwIfAborted()
    if (fault !== null) throw fault
    if (!unpack.write(chunk)) await Promise.race([once(unpack, 'drain'), closed])
  }
  unpack.end()
  await closed
  if (fault !== null) throw fault
}

async function* plainBytes(path: string, isGzip: boolean): AsyncGenerator<Buffer> {
  const file = await streamPlain(path, 1 << 18)
  try {
    if (!isGzip) yield* file
    else {
      const gunzip = createGunzip({ chunkSize: 1 << 18 })
      file.on('error', (error) => gunzip.destroy(error))
      let bytes = 0
      for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
        bytes += chunk.length
        checkRatio(basename(path), bytes, file.bytesRead)
        yield chunk
      }
    }
  } finally {
    file.destroy()
  }
}
