import { createHash, randomBytes } from 'node:crypto'
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { isCode, isReadOnly } from '../../model/system-errors.ts'
import { closing } from '../concurrency/closing.ts'
import { makeDirectory, syncDirectory } from '../files/durable.ts'
import { removeAside } from '../files/optional-files.ts'
import { checkKey, type Listed, type ObjectStore, type Piece } from './object-store.ts'

const PIECE_BYTES = 1 << 20

/** Folder in which objects are written before they get their names; no key begins with a dot. */
const INCOMING = '.incoming'

/**
 * Opens objects that are files below a directory. A write goes to a temporary file, which is synced and renamed, and
 * syncs the directory.
 *
 * @param root absolute; made when the first object is written
 */
export function openDirectory(root: string): ObjectStore {
  const pathOf = (key: string) => join(root, ...checkKey(key).split('/'))
  return {
    name: root,
    isServer: false,
    head: async (key) => {
      const facts = await stat(pathOf(key)).catch(nullIfNoFile)
      return facts?.isFile() ? { sizeBytes: facts.size, etag: etagOf(facts), changedMs: facts.mtimeMs } : null
    },
    get: async (key, range) => {
      const file = await open(pathOf(key), 'r').catch(nullIfNoFile)
      if (file === null) return null
      const facts = await file.stat()
      if (facts.isFile()) return bytesOf(file, range ?? { start: 0, end: facts.size })
      await file.close()
      return null
    },
    put: async (key, bytes) => void (await write(root, pathOf(key), [Buffer.from(bytes)], replace)),
    putIfAbsent: async (key, bytes) => {
      const given = Buffer.from(bytes)
      const isNamed = await write(root, pathOf(key), [given], linkIfAbsent)
      return isNamed || given.equals((await readFile(pathOf(key)).catch(nullIfNoFile)) ?? Buffer.alloc(0))
    },
    copies: false,
    compose: async (key, pieces) => {
      let sizeBytes = 0
      async function* all(): AsyncGenerator<Uint8Array> {
        for await (const bytes of wholePieces(pieces, pathOf)) {
          sizeBytes += bytes.length
          yield bytes
        }
      }
      await write(root, pathOf(key), all(), replace)
      return sizeBytes
    },
    list: (prefix, after = '') => listUnder(root, prefix, after),
    delete: async (key) => void (await rm(pathOf(key), { force: true })),
    tidy: (olderThan) => removeAside(join(root, INCOMING), olderThan),
    presign: async () => null,
    close: () => {},
  }
}

/** Gives a written file its name. @returns whether it has it */
type Name = (aside: string, path: string) => Promise<boolean>

/** Writes pieces to a temporary file and calls `name`. @returns what `name` returns */
async function write(
  root: string,
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: Name,
): Promise<boolean> {
  await makeDirectory(join(root, INCOMING))
  const aside = join(root, INCOMING, `${randomBytes(9).toString('hex')}.tmp`)
  try {
    await closing(await open(aside, 'wx'), async (file) => {
      for await (const piece of pieces) await file.writeFile(piece)
      await file.sync()
    })
    await makeSynced(root, dirname(path))
    const isNamed = await name(aside, path)
    if (isNamed) await syncDirectory(dirname(path))
    return isNamed
  } catch (error) {
    throw storeFault(error, root)
  } finally {
    await rm(aside, { force: true })
  }
}

const replace: Name = async (aside, path) => {
  await rename(aside, path)
  return true
}

const linkIfAbsent: Name = (aside, path) =>
  link(aside, path).then(
    () => true,
    (error) => (isCode(error, 'EEXIST') ? false : Promise.reject(error)),
  )

/** Returns an entity tag. It differs whenever the bytes do, since each write makes a new file. */
function etagOf({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }): string {
  return createHash('sha256').update(`${ino} ${size} ${mtimeMs}`).digest('hex').slice(0, 32)
}

async function* bytesOf(
  file: Awaited<ReturnType<typeof open>>,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  try {
    for (let at = start; at < end; ) {
      const bytes = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      if (bytesRead === 0) throw new ServiceError('corrupt', 'an object is shorter than what was asked of it')
      yield bytes.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function* wholePieces(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  pathOf: (key: string) => string,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece
    else yield* bytesOf(await open(pathOf(piece.copyOf), 'r'), piece)
  }
}

/** Lists files in S3's order of keys: by bytes, a folder as if its name ended in a slash. */
async function* listUnder(root: string, prefix: string, after: string): AsyncGenerator<Listed> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(nullIfNoFile)
  const names = (entries ?? [])
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  for (const name of names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    const key = `${folder}${name}`
    if (name.endsWith('/')) {
      if (key.startsWith(prefix) || prefix.startsWith(key))
        yield* listUnder(root, key.length > prefix.length ? key : prefix, after)
    } else if (key.startsWith(prefix) && isBefore(after, key)) {
      const facts = await stat(join(root, key)).catch(nullIfNoFile)
      if (facts !== null) yield { key, sizeBytes: facts.size, changedMs: facts.mtimeMs }
    }
  }
}

function isBefore(after: string, key: string): boolean {
  return after === '' || Buffer.compare(Buffer.from(after), Buffer.from(key)) < 0
}

/** Creates a directory and syncs the parents of new ones. */
async function makeSynced(root: string, path: string): Promise<void> {
  const first = await makeDirectory(path)
  for (let at = path; first !== undefined && at.length >= first.length && at.length > root.length; at = dirname(at))
    await syncDirectory(dirname(at))
}

function nullIfNoFile(error: unknown): null {
  if (isCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null
  throw error
}

function storeFault(error: unknown, root: string): unknown {
  if (isReadOnly(error)) return new ServiceError('store_away', `the disk of ${root} is read-only`, { cause: error })
  if (error instanceof ServiceError || !isCode(error, 'EACCES', 'EPERM')) return error
  return new ServiceError('invalid_setting', `${root} cannot be written: permission denied`, { cause: error })
}
