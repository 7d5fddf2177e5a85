import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { isCode, isDiskFull } from '../../model/system-errors.ts'
import { singleFlight } from '../concurrency/coalesce.ts'
import { makeDirectory, unlessThere } from '../files/durable.ts'
import { touchFile } from '../files/file-age.ts'
import { hashFile } from '../files/hash-file.ts'
import { type Lock, takeLock } from '../files/lock.ts'
import { namesIn } from '../files/optional-files.ts'

/**
 * Cache of a bucket's files on this machine, by SHA-256, shared by any number of processes. Each process has a view: a
 * directory with a second link to each file that it reads. So an evicted file is gone from the cache but stays whole
 * for its readers.
 *
 *     objects/<sha256>            the files; the least recently used are evicted first
 *     views/<random>/             the view of a process; the next process deletes it if that one was killed
 *     views/<random>.lock
 */
export type FileCache = {
  /** The view of this process. */
  directory: string
  /**
   * Pins a file in the view until the returned function is called, and fetches it if the cache lacks it. The hash is
   * verified on download, and when this process first finds the file in the cache.
   *
   * @param name its path in the view
   * @throws ServiceError corrupt when what is fetched has another hash; disk_full; what `fetch` throws
   */
  pin: (sha256: string, name: string, fetch: Fetch) => Promise<() => void>
  /** Deletes the view. */
  close: () => Promise<void>
}

/** Number of unpinned files that stay in the view, since the next shard often reads the same file. */
const IDLE_MAX = 16
const PIECE_BYTES = 1 << 18
/** Fraction of the limit that this process may add before it checks the size of the cache again. */
const LOOK_AFTER = 1 / 32

type Fetch = () => Promise<AsyncIterable<Uint8Array>>
type Held = { holders: number; ready: Promise<void> }

/** `idle` lists files that nobody holds, the oldest first; `addedBytes` came in since the size was last checked. */
type State = {
  directory: string
  objects: string
  view: string
  held: Map<string, Held>
  idle: string[]
  addedBytes: number
  makeRoom: () => Promise<void>
}

/** Opens a cache. @param maxBytes what it may have; the files that are read at the moment come on top */
export async function openFileCache(directory: string, maxBytes: number): Promise<FileCache> {
  const objects = join(directory, 'objects')
  const views = join(directory, 'views')
  await makeDirectory(objects)
  await makeDirectory(views)
  await removeDeadViews(views)
  const view = join(views, randomBytes(9).toString('hex'))
  const lock = (await takeLock(`${view}.lock`)) as Lock
  await mkdir(view)
  // Whoever adds while it makes room waits until that has been done once more: it may not have seen what was added.
  const makeRoom = singleFlight(async () => {
    if (state.addedBytes <= maxBytes * LOOK_AFTER) return
    state.addedBytes = 0
    await evict(objects, maxBytes)
  })
  const held = new Map<string, Held>()
  const state: State = {
    ...{ directory, objects, view, held, idle: [], addedBytes: Number.POSITIVE_INFINITY },
    makeRoom: () => makeRoom(''),
  }
  return {
    directory: view,
    pin: (sha256, name, fetch) => pin(state, sha256, name, fetch),
    close: async () => {
      // Wait for downloads under way, which would create the directory again.
      await Promise.allSettled([...held.values()].map(({ ready }) => ready))
      await rm(view, { recursive: true, force: true })
      await lock.release()
    },
  }
}

async function pin(state: State, sha256: string, name: string, fetch: Fetch): Promise<() => void> {
  const { held, view } = state
  const path = join(view, name)
  const known = held.get(path)
  const one = known ?? { holders: 0, ready: bring(state, sha256, path, fetch) }
  held.set(path, one)
  one.holders++
  try {
    await one.ready
  } catch (error) {
    if (held.get(path) === one) held.delete(path)
    throw error
  }
  let isReleased = false
  return () => {
    if (!isReleased) release(state, path)
    isReleased = true
  }
}

function release({ held, idle }: State, path: string): void {
  const one = held.get(path) as Held
  if (--one.holders > 0) return
  idle.push(path)
  if (idle.length <= IDLE_MAX) return
  const oldest = idle.shift() as string
  if (idle.includes(oldest) || (held.get(oldest)?.holders ?? 1) > 0) return
  held.delete(oldest)
  rmSync(oldest, { force: true })
}

/** Puts a file into the view: by a link into the cache, or by a download. */
async function bring(state: State, sha256: string, path: string, fetch: Fetch): Promise<void> {
  const { directory, objects, view } = state
  await makeDirectory(dirname(path))
  // A hold that failed between the link and the comparison leaves it.
  await rm(path, { force: true })
  const object = join(objects, sha256)
  if ((await linked(object, path)) && (await hashFile(path)) === sha256) return touchFile(object).catch(() => undefined)
  await rm(path, { force: true })
  const aside = join(view, `${randomBytes(6).toString('hex')}.part`)
  try {
    const sizeBytes = await download(aside, sha256, await fetch())
    // The object there is damaged, or another process was faster.
    await rm(object, { force: true })
    await link(aside, object).catch(unlessThere)
    await rename(aside, path)
    state.addedBytes += sizeBytes
  } catch (error) {
    await rm(aside, { force: true })
    if (isDiskFull(error)) throw new ServiceError('disk_full', `the disk of ${directory} is full`, { cause: error })
    throw error
  }
  await state.makeRoom()
}

/** Writes a download to a file and verifies its hash. @returns its bytes */
async function download(path: string, sha256: string, stream: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx')
  const hash = createHash('sha256')
  // Gather the small pieces that come from the network.
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let filled = 0
  let sizeBytes = 0
  const flush = async () => {
    hash.update(piece.subarray(0, filled))
    await file.writeFile(piece.subarray(0, filled))
    sizeBytes += filled
    filled = 0
  }
  try {
    for await (const bytes of stream) {
      for (let from = 0; from < bytes.length; ) {
        const taken = bytes.subarray(from, from + PIECE_BYTES - filled)
        piece.set(taken, filled)
        filled += taken.length
        from += taken.length
        if (filled === PIECE_BYTES) await flush()
      }
    }
    await flush()
  } finally {
    await file.close()
  }
  if (hash.digest('hex') === sha256) return sizeBytes
  throw new ServiceError('corrupt', `the object ${sha256.slice(0, 12)}… is not what its manifest promises`)
}

/** Evicts the least recently used files until the cache is below its limit. */
async function evict(objects: string, maxBytes: number): Promise<void> {
  const found = await Promise.all(
    (await readdir(objects)).map(async (name) => ({ name, facts: await stat(join(objects, name)).catch(() => null) })),
  )
  const files = found.flatMap(({ name, facts }) => (facts ? [{ name, size: facts.size, usedMs: facts.mtimeMs }] : []))
  let total = files.reduce((sum, { size }) => sum + size, 0)
  if (total <= maxBytes) return
  for (const { name, size } of files.sort((a, b) => a.usedMs - b.usedMs)) {
    if (total <= maxBytes * (1 - 2 * LOOK_AFTER)) return
    await rm(join(objects, name), { force: true })
    total -= size
  }
}

/** Deletes the views of processes that were killed. */
async function removeDeadViews(views: string): Promise<void> {
  for (const name of await namesIn(views)) {
    const [, view] = /^([0-9a-f]{18})(\.lock)?$/.exec(name) ?? []
    if (view === undefined) continue
    const lock = await takeLock(join(views, `${view}.lock`))
    if (lock === null) continue
    await rm(join(views, view), { recursive: true, force: true })
    await lock.release()
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    (error) => (isCode(error, 'ENOENT') ? false : Promise.reject(error)),
  )
}
