import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { isCode } from '../../model/system-errors.ts'
import { manifestText, readManifest } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { allOf, manifestThere } from './snapshot-files.ts'
import { AT_ONCE, fileKey, snapshotKey } from './versions.ts'

/** Number of files and bytes copied, and of files that were already there. */
export type Copied = { files: number; bytes: number; known: number }

export function newSum(): Copied {
  return { files: 0, bytes: 0, known: 0 }
}

const PIECE_BYTES = 4 << 20

/** What a bucket has of a study. */
export type There = {
  /** SHA-256 of files that are certainly there, which are not compared; those that are sent are added. */
  known: Set<string>
  /** Keys of a list of its objects: each is read and compared, and sent again only if it differs. */
  listed: ReadonlySet<string>
}

/**
 * Sends the files of a snapshot that the bucket lacks, then its manifest. So a snapshot with a manifest is whole,
 * unless a process was killed while it deleted the snapshot.
 *
 * @throws ServiceError corrupt
 */
export async function sendSnapshot(
  store: ObjectStore,
  studyDir: string,
  snapshotId: string,
  { known, listed }: There,
  copied: Copied,
): Promise<void> {
  const studyId = basename(studyDir)
  const directory = join(studyDir, snapshotId)
  const manifest = await readManifest(directory)
  const files = new Map(allOf(manifest).map(({ path, sha256 }) => [sha256, path]))
  // A damaged one is sent again.
  const unlessDamaged = (error: unknown) => (isCode(error, 'corrupt') ? null : Promise.reject(error))
  const there = listed.size === 0 ? null : await manifestThere(store, studyId, snapshotId).catch(unlessDamaged)
  if (there !== null && allOf(there).every(({ sha256 }) => listed.has(fileKey(studyId, sha256)))) {
    copied.known += files.size
    return
  }
  await forEach(files, AT_ONCE, async ([sha256, path]) => {
    const key = fileKey(studyId, sha256)
    if (!known.has(sha256)) await sendFile(store, join(directory, path), key, sha256, listed.has(key), copied)
    known.add(sha256)
  })
  // Send the manifest that was read and verified; do not read it again.
  await store.put(snapshotKey(studyId, snapshotId), manifestText(manifest))
}

/**
 * Sends a file to a store unless it has it, then reads it back and verifies the hash.
 *
 * @param there whether an object of that key is in the store: it is read and compared, and sent again only if it
 * differs
 * @throws ServiceError corrupt when the file, or what was read back, has another hash
 */
async function sendFile(
  store: ObjectStore,
  path: string,
  key: string,
  sha256: string,
  there: boolean,
  copied: Copied,
): Promise<void> {
  if (there && (await hashOfObject(store, key)) === sha256) return void copied.known++
  // Others add to the sum meanwhile.
  const bytes = await store.compose(key, proved(path, sha256))
  copied.bytes += bytes
  if ((await hashOfObject(store, key)) !== sha256)
    throw new ServiceError('corrupt', `${key} is not what was sent to ${store.name}`)
  copied.files++
}

/** Streams a file, and throws before its last bytes if its hash differs. So nothing damaged gets a name. */
async function* proved(path: string, sha256: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const hash = createHash('sha256')
    let last: Uint8Array | null = null
    const { size } = await file.stat()
    for (let offset = 0; offset < size; offset += last.length) {
      const length = Math.min(PIECE_BYTES, size - offset)
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
      if (bytesRead === 0) break
      if (last !== null) yield last
      last = buffer.subarray(0, bytesRead)
      hash.update(last)
    }
    if (hash.digest('hex') !== sha256) throw new ServiceError('corrupt', `${path} is not what its manifest promises`)
    if (last !== null) yield last
  } finally {
    await file.close()
  }
}

/** Returns the SHA-256 of an object, in hex; null when there is none. */
export async function hashOfObject(store: ObjectStore, key: string): Promise<string | null> {
  const stream = await store.get(key)
  if (stream === null) return null
  const hash = createHash('sha256')
  for await (const bytes of stream) hash.update(bytes)
  return hash.digest('hex')
}
