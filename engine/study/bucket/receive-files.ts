import { createHash } from 'node:crypto'
import { link, open, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { manifestText } from '../../snapshot/snapshots.ts'
import { singleFlight } from '../../storage/concurrency/coalesce.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { makeDirectory, syncDirectory, unlessThere, writeSynced } from '../../storage/files/durable.ts'
import { hashFile } from '../../storage/files/hash-file.ts'
import { sharedPath, temporaryPath } from '../../storage/files/layout.ts'
import { isThere } from '../../storage/files/optional-files.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import type { Copied } from './send-files.ts'
import { filesOfSnapshot, isShared, manifestThere, type SnapshotFile } from './snapshot-files.ts'
import { AT_ONCE, fileKey } from './versions.ts'

/** Folder for files of studies and jobs that are not complete yet; an interrupted copy resumes with them. */
export const RECEIVING = '.copying'

/** Fetches a file of a study and returns its path. @throws ServiceError corrupt, not_found */
export type Fetch = (sha256: string) => Promise<string>

/**
 * Returns a function that fetches files into `shared/` of a directory laid out like that of their study, verifies their
 * hash and syncs them. Concurrent calls for a file share a download; a file that is there is verified once.
 */
export function fetchingInto(store: ObjectStore, studyDir: string, copied: Copied): Fetch {
  const verified = new Set<string>()
  return singleFlight(async (sha256) => {
    const path = sharedPath(studyDir, sha256)
    if ((await isThere(path)) && (verified.has(sha256) || (await hashFile(path)) === sha256)) {
      verified.add(sha256)
      copied.known++
      return path
    }
    await makeDirectory(dirname(path))
    const key = fileKey(basename(studyDir), sha256)
    const stream = await store.get(key)
    if (stream === null) throw new ServiceError('not_found', `${key} is not in ${store.name}`)
    const aside = `${path}.part`
    await rm(aside, { force: true })
    const file = await open(aside, 'wx')
    const hash = createHash('sha256')
    try {
      for await (const bytes of stream) {
        hash.update(bytes)
        copied.bytes += bytes.length
        await file.writeFile(bytes)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if (hash.digest('hex') !== sha256)
      throw new ServiceError('corrupt', `${key} in ${store.name} is not what its manifest promises`)
    await rename(aside, path)
    verified.add(sha256)
    copied.files++
    return path
  })
}

/**
 * Fetches a snapshot, unless it is there, into a directory laid out like that of its study. It is synced, and gets its
 * name when it is whole.
 *
 * @param areSamplesLater whether sample files come when they are read: before, their names are symbolic links to where
 * they will be
 * @throws ServiceError not_found, corrupt
 */
export async function fetchSnapshot(
  store: ObjectStore,
  studyDir: string,
  snapshotId: string,
  fetch: Fetch,
  areSamplesLater: boolean,
): Promise<void> {
  if (await isThere(join(studyDir, snapshotId))) return
  const manifest = await manifestThere(store, basename(studyDir), snapshotId)
  if (manifest === null) throw new ServiceError('not_found', `snapshot ${snapshotId} is not in ${store.name}`)
  const { tables, samples, images } = filesOfSnapshot(manifest)
  const directory = temporaryPath(studyDir, 'fetch')
  await makeDirectory(directory)
  await writeSynced(join(directory, 'manifest.json'), manifestText(manifest))
  const place = async (file: SnapshotFile) => placeFile(directory, file, await fetch(file.sha256))
  const placeLater = (file: SnapshotFile) => linkLater(studyDir, directory, file).catch(() => place(file))
  await forEach([...tables, ...images], AT_ONCE, place)
  await forEach(samples, AT_ONCE, areSamplesLater ? placeLater : place)
  if (images.length > 0) await syncDirectory(join(directory, 'images'))
  await syncDirectory(directory)
  await rename(directory, join(studyDir, snapshotId))
}

async function placeFile(directory: string, { path }: SnapshotFile, from: string): Promise<void> {
  if (isShared(path)) return
  await makeDirectory(dirname(join(directory, path)))
  await link(from, join(directory, path)).catch(unlessThere)
}

/** Links to the future path of a file. Windows restricts such links; there the file is fetched at once. */
async function linkLater(studyDir: string, directory: string, { path, sha256 }: SnapshotFile): Promise<void> {
  const link = join(directory, path)
  if (!isShared(path)) await symlink(relative(dirname(link), sharedPath(studyDir, sha256)), link)
}
