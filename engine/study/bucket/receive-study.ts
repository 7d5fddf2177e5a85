import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { checkAnalysisFiles, currentIn, mergeAnalyses, replaceAnalyses } from '../../snapshot/analyses/copy-analyses.ts'
import { currentIdIn, readManifest } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { replaceDurably, syncDirectory, syncFile, unlessThere } from '../../storage/files/durable.ts'
import { SHARED, sharedPath, studyDirectory } from '../../storage/files/layout.ts'
import { withStudyLock } from '../../storage/files/lock.ts'
import { isThere } from '../../storage/files/optional-files.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { HISTORY_FILE } from '../history.ts'
import { PAST_AOIS } from '../past-aois.ts'
import { publishSnapshot } from '../publish.ts'
import { openShared } from '../shared-files.ts'
import { RECEIVING, receiveFile } from './receive-files.ts'
import { AT_ONCE, type Copied } from './send-files.ts'
import { filesOf, isShared } from './snapshot-files.ts'
import { fileKey, newestVersion, snapshotKey, snapshotsIn } from './versions.ts'

/**
 * Copies a study with all of its snapshots from a store into the data directory; existing files are not fetched again.
 *
 * @param replace whether a study that is there in another version becomes that of the store
 * @returns whether anything was fetched; null when the store has no such study
 * @throws ServiceError exists, corrupt, busy, overloaded
 */
export async function receiveStudy(
  { dataDir, store, replace }: { dataDir: string; store: ObjectStore; replace: boolean },
  studyId: string,
  copied: Copied,
): Promise<boolean | null> {
  const studyDir = studyDirectory(dataDir, studyId) as string
  const version = await newestVersion(store, studyId)
  if (version === null) return null
  const { snapshotId: currentId, studyFiles, analyses } = version
  const refuse = async () => {
    const there = await currentIdIn(studyDir)
    if (there !== null && there !== currentId && !replace)
      throw new ServiceError('exists', `study ${studyId} is here in another version: add --replace to replace it`)
    return there
  }
  const before = await refuse()
  const received = analyses === undefined ? null : await readAnalyses(store, studyId, analyses)
  if (before === currentId) {
    if (received === null) return false
    return withStudyLock(studyDir, async () => {
      // Whoever was removed meanwhile does not come back.
      if ((await refuse()) !== currentId)
        throw new ServiceError('busy', `study ${studyId} was changed meanwhile: try again`)
      return receiveAnalyses(studyDir, received, replace)
    })
  }
  const ids = (await snapshotsIn(store, studyId)).get(studyId)?.keys() ?? []
  const others = [...ids].filter((id) => id !== currentId)
  const aside = join(dataDir, RECEIVING, studyId)
  const made = new Map<string, string>()
  for (const id of [...others, currentId])
    if (!(await isThere(join(studyDir, id)))) made.set(id, await receiveSnapshot(store, studyId, id, aside, copied))
  const files = await Promise.all(
    Object.entries(studyFiles).map(
      async ([name, sha256]) => [name, (await readObject(store, fileKey(studyId, sha256)))?.toString() ?? ''] as const,
    ),
  )
  await withStudyLock(studyDir, async () => {
    await refuse()
    await placeShared(studyDir, aside, made)
    for (const id of others) if (made.has(id)) await rename(made.get(id) as string, join(studyDir, id))
    await syncDirectory(studyDir)
    await publishSnapshot(studyDir, made.get(currentId) ?? join(aside, 'none'), currentId)
    await rm(join(studyDir, PAST_AOIS), { recursive: true, force: true })
    await rm(join(studyDir, HISTORY_FILE), { force: true })
    for (const [name, text] of files) {
      await mkdir(dirname(join(studyDir, name)), { recursive: true })
      await replaceDurably(join(studyDir, name), text)
    }
    if (received !== null) await replaceAnalyses(studyDir, async () => received)
  })
  await rm(aside, { recursive: true, force: true })
  return true
}

/** Reads and verifies the files of a study's analyses. @throws ServiceError corrupt */
async function readAnalyses(
  store: ObjectStore,
  studyId: string,
  analyses: Record<string, string>,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  await forEach(Object.entries(analyses), AT_ONCE, async ([name, sha256]) => {
    files[name] = (await readObject(store, fileKey(studyId, sha256)))?.toString() ?? ''
  })
  checkAnalysisFiles(files)
  return files
}

/** Merges analyses into those of a study that exists in the same version. @returns whether any changed */
function receiveAnalyses(studyDir: string, received: Record<string, string>, replace: boolean): Promise<boolean> {
  return replaceAnalyses(studyDir, async (own) =>
    replace
      ? received
      : mergeAnalyses(own, received, async (side, file) =>
          currentIn(file, side === 'ours' ? own[file] : received[file]),
        ),
  )
}

/**
 * Creates the directory of a snapshot in the folder of unfinished copies, with shared files beside it.
 *
 * @returns the directory
 */
async function receiveSnapshot(
  store: ObjectStore,
  studyId: string,
  snapshotId: string,
  aside: string,
  copied: Copied,
): Promise<string> {
  const directory = join(aside, snapshotId)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const text = await readObject(store, snapshotKey(studyId, snapshotId))
  if (text === null) throw new ServiceError('not_found', `snapshot ${snapshotId} is not in ${store.name}`)
  await writeFile(join(directory, 'manifest.json'), text)
  await syncFile(join(directory, 'manifest.json'))
  const { tables, samples, images } = filesOf(await readManifest(directory))
  await forEach([...tables, ...samples, ...images], AT_ONCE, async ({ path, sha256 }) => {
    const file = await receiveFile(store, { key: fileKey(studyId, sha256), sha256 }, join(aside, SHARED), copied)
    if (isShared(path)) return
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true })
    await link(file, target).catch(unlessThere)
  })
  if (images.length > 0) await syncDirectory(join(directory, 'images'))
  await syncDirectory(directory)
  return directory
}

/** Links the shared files of new snapshots into a study. */
async function placeShared(studyDir: string, aside: string, made: Map<string, string>): Promise<void> {
  for (const directory of made.values()) {
    const { tables, samples } = filesOf(await readManifest(directory))
    const shared = [...tables, ...samples].filter(({ path }) => isShared(path))
    if (shared.length === 0) continue
    await openShared(studyDir)
    for (const { sha256 } of shared)
      await link(join(aside, SHARED, sha256), sharedPath(studyDir, sha256)).catch(unlessThere)
    await syncDirectory(join(studyDir, SHARED))
  }
}
