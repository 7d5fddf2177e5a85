import { link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { checkAnalysisFiles, currentIn, mergeAnalyses, replaceAnalyses } from '../../snapshot/analyses/copy-analyses.ts'
import { sha256Of } from '../../snapshot/snapshot-id.ts'
import { currentIdIn, readManifest } from '../../snapshot/snapshots.ts'
import { makeDirectory, replaceDurably, syncDirectory, unlessThere } from '../../storage/files/durable.ts'
import { SHARED, sharedPath, studyDirectory } from '../../storage/files/layout.ts'
import { withStudyLock } from '../../storage/files/lock.ts'
import { isThere } from '../../storage/files/optional-files.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { publishSnapshot } from '../publish.ts'
import { openShared } from '../shared-files.ts'
import { fetchingInto, fetchSnapshot, RECEIVING } from './receive-files.ts'
import type { Copied } from './send-files.ts'
import { filesOfSnapshot, isShared } from './snapshot-files.ts'
import { fetchFiles, fileNames, placeFiles } from './study-content.ts'
import { newestVersion, snapshotsIn } from './versions.ts'

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
  const aside = join(dataDir, RECEIVING, studyId)
  const isSame = (await refuse()) === currentId
  const received = analyses === undefined ? null : await readAnalyses(store, studyId, analyses)
  // Where an earlier try was killed, history and past AOIs may be missing.
  if (isSame && !(await isThere(aside))) {
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
  await makeDirectory(aside)
  const fetch = fetchingInto(store, aside, copied)
  const made: string[] = []
  for (const id of [...others, currentId]) {
    await rm(join(aside, id), { recursive: true, force: true })
    if (await isThere(join(studyDir, id))) continue
    await fetchSnapshot(store, aside, id, fetch, false)
    made.push(id)
  }
  const files = await receiveFiles(store, studyId, studyFiles)
  await withStudyLock(studyDir, async () => {
    await refuse()
    await placeShared(studyDir, aside, made)
    for (const id of others) if (made.includes(id)) await rename(join(aside, id), join(studyDir, id))
    await syncDirectory(studyDir)
    await publishSnapshot(studyDir, join(aside, currentId), currentId)
    const goneNames = (await fileNames(studyDir)).filter((name) => !files.has(name))
    await placeFiles(studyDir, files, goneNames, replaceDurably)
    if (received !== null) await receiveAnalyses(studyDir, received, replace || !isSame)
  })
  await rm(aside, { recursive: true, force: true })
  return true
}

/** Reads files that a version names, and compares them with their SHA-256. @throws ServiceError corrupt, moved_on */
async function receiveFiles(
  store: ObjectStore,
  studyId: string,
  named: Record<string, string>,
): Promise<Map<string, Buffer>> {
  const files = await fetchFiles(store, studyId, Object.entries(named))
  for (const [name, bytes] of files)
    if (sha256Of(bytes) !== named[name])
      throw new ServiceError('corrupt', `study ${studyId}: ${name} in ${store.name} is not what its version promises`)
  return files
}

/** Reads and verifies the files of a study's analyses. @throws ServiceError corrupt, moved_on */
async function readAnalyses(
  store: ObjectStore,
  studyId: string,
  analyses: Record<string, string>,
): Promise<Record<string, string>> {
  const received = await receiveFiles(store, studyId, analyses)
  const files = Object.fromEntries([...received].map(([name, bytes]) => [name, bytes.toString()]))
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

/** Links the shared files of new snapshots into a study. */
async function placeShared(studyDir: string, aside: string, made: string[]): Promise<void> {
  for (const id of made) {
    const { tables, samples } = filesOfSnapshot(await readManifest(join(aside, id)))
    const shared = [...tables, ...samples].filter(({ path }) => isShared(path))
    if (shared.length === 0) continue
    await openShared(studyDir)
    for (const { sha256 } of shared)
      await link(join(aside, SHARED, sha256), sharedPath(studyDir, sha256)).catch(unlessThere)
    await syncDirectory(join(studyDir, SHARED))
  }
}
