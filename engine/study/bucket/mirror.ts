import { link, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import type { Snapshot } from '../../model/study.ts'
import { ANALYSES_FOLDER } from '../../snapshot/analyses/stored-analyses.ts'
import { manifestIn, openSnapshot } from '../../snapshot/snapshots.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { unlessThere } from '../../storage/files/durable.ts'
import { SHARED, sharedPath, temporaryPath } from '../../storage/files/layout.ts'
import { isThere, namesIn } from '../../storage/files/optional-files.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { receiveFile } from './receive-files.ts'
import { AT_ONCE } from './send-files.ts'
import { filesOf, isShared, type SnapshotFile } from './snapshot-files.ts'
import { fileKey, type State, snapshotKey } from './versions.ts'

/**
 * A study of a bucket in a directory of this process, laid out as in a data directory, for whoever changes it. Sample
 * files come when they are read: before, their names are symbolic links to where they will be.
 */

/** Fetches a file of the study into `shared/` unless it is there; concurrent calls share one download. */
type Fetch = (sha256: string) => Promise<string>

export function fetchingInto(store: ObjectStore, studyDir: string): Fetch {
  const coming = new Map<string, Promise<string>>()
  const fetch = async (sha256: string): Promise<string> => {
    const path = sharedPath(studyDir, sha256)
    if (await isThere(path)) return path
    const key = fileKey(basename(studyDir), sha256)
    return receiveFile(store, { key, sha256 }, join(studyDir, SHARED), { files: 0, bytes: 0, known: 0 })
  }
  return (sha256) => {
    const known = coming.get(sha256)
    if (known !== undefined) return known
    const one = fetch(sha256).finally(() => coming.delete(sha256))
    coming.set(sha256, one)
    return one
  }
}

/** Opens a snapshot of a mirror. Sample files are fetched when they are pinned. */
export async function openMirrored(directory: string, fetch: Fetch): Promise<Snapshot> {
  const pin: Snapshot['pin'] = async (what) => {
    // Pictures are always there.
    if (what === 'images' || 'image' in what) return () => {}
    if (!(await isThere(join(directory, what.name)))) await fetch(what.sha256)
    return () => {}
  }
  return { ...(await openSnapshot(directory)), pin }
}

/**
 * Updates a mirror to a version of its study: the current snapshot, history, past AOIs and analyses.
 *
 * @param before the version that it has; null for none
 * @throws ServiceError corrupt, not_found where the bucket lacks something
 */
export async function bringTo(
  store: ObjectStore,
  studyDir: string,
  fetch: Fetch,
  state: State,
  before: State | null,
): Promise<void> {
  const { snapshotId } = state
  if (snapshotId === null) return emptied(studyDir)
  await bringSnapshot(store, studyDir, fetch, snapshotId)
  await placeNamed(store, studyDir, state, before)
  await writeFile(join(studyDir, 'current'), `${snapshotId}\n`)
}

/** Fetches a snapshot into a mirror, without its sample files. @throws ServiceError not_found, corrupt */
export async function bringSnapshot(
  store: ObjectStore,
  studyDir: string,
  fetch: Fetch,
  snapshotId: string,
): Promise<void> {
  await mkdir(join(studyDir, SHARED), { recursive: true })
  if (!(await isThere(join(studyDir, snapshotId)))) await placeSnapshot(store, studyDir, snapshotId, fetch)
}

/** Writes those files of a study besides its snapshots that have changed. */
export async function placeNamed(
  store: ObjectStore,
  studyDir: string,
  { studyFiles, analyses = {}, undo = {} }: Omit<State, 'snapshotId'>,
  before: Omit<State, 'snapshotId'> | null,
): Promise<void> {
  await placeFiles(store, studyDir, '', { ...studyFiles, ...undo }, { ...before?.studyFiles, ...before?.undo })
  await placeFiles(store, studyDir, ANALYSES_FOLDER, analyses, before?.analyses ?? {})
}

/** Deletes the content of a mirror, but not its lock. */
export async function emptied(studyDir: string): Promise<void> {
  for (const name of await namesIn(studyDir))
    if (!name.startsWith('lock')) await rm(join(studyDir, name), { recursive: true, force: true })
}

/**
 * Sets the modification time of the mirror's `current` to the time of its version, which tells how long the study has
 * been quiet.
 */
export async function dateCurrent(studyDir: string, at: string): Promise<void> {
  await utimes(join(studyDir, 'current'), new Date(at), new Date(at))
}

async function placeSnapshot(store: ObjectStore, studyDir: string, snapshotId: string, fetch: Fetch): Promise<void> {
  const text = await readObject(store, snapshotKey(basename(studyDir), snapshotId))
  if (text === null) throw new ServiceError('not_found', `snapshot ${snapshotId} is not in ${store.name}`)
  const { tables, samples, images } = filesOf(manifestIn(text.toString(), snapshotId))
  const directory = temporaryPath(studyDir, 'fetch')
  await mkdir(directory)
  await writeFile(join(directory, 'manifest.json'), text)
  await forEach([...tables, ...images], AT_ONCE, async (file) => placeFile(directory, file, await fetch(file.sha256)))
  for (const file of samples) await linkLater(studyDir, directory, file, fetch)
  await rename(directory, join(studyDir, snapshotId))
}

async function placeFile(directory: string, { path }: SnapshotFile, from: string): Promise<void> {
  if (isShared(path)) return
  await mkdir(dirname(join(directory, path)), { recursive: true })
  await link(from, join(directory, path)).catch(unlessThere)
}

/** Links to the future path of a file. Windows restricts such links; there the file is fetched at once. */
async function linkLater(studyDir: string, directory: string, file: SnapshotFile, fetch: Fetch): Promise<void> {
  if (isShared(file.path)) return
  const path = join(directory, file.path)
  await symlink(relative(dirname(path), sharedPath(studyDir, file.sha256)), path).catch(async () =>
    placeFile(directory, file, await fetch(file.sha256)),
  )
}

/**
 * Writes those files of a study besides its snapshots that have changed, and deletes those that are gone.
 *
 * @param within the folder that the names are in
 */
async function placeFiles(
  store: ObjectStore,
  studyDir: string,
  within: string,
  files: Record<string, string>,
  before: Record<string, string>,
): Promise<void> {
  const changed = Object.entries(files).filter(([name, sha256]) => before[name] !== sha256)
  // What says which version of an analysis is current comes last.
  const isLast = ([name]: [string, string]) => Number(name.endsWith('/current.json'))
  const write = async ([name, sha256]: [string, string]) => {
    const bytes = await readObject(store, fileKey(basename(studyDir), sha256))
    if (bytes === null)
      throw new ServiceError(
        'moved_on',
        `study ${basename(studyDir)}: ${name} is gone from the store, since the study was replaced there meanwhile: try again`,
      )
    const path = join(studyDir, within, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, bytes)
    await rename(`${path}.new`, path)
  }
  await forEach(
    changed.filter((each) => !isLast(each)),
    AT_ONCE,
    write,
  )
  await forEach(changed.filter(isLast), AT_ONCE, write)
  for (const name of Object.keys(before))
    if (files[name] === undefined) await rm(join(studyDir, within, name), { force: true })
}
