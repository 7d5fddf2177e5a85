import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ServiceError } from '../model/errors.ts'
import type { Manifest, SampleFile, Snapshot, Study } from '../model/study.ts'
import { nullIfGone } from '../model/system-errors.ts'
import { singleFlight } from '../storage/concurrency/coalesce.ts'
import { FORMAT_VERSION, isReadable, otherFormat } from '../storage/files/data-format.ts'
import { fileAgeMs } from '../storage/files/file-age.ts'
import { stateOf, TIME_GRAIN_MS } from '../storage/files/file-state.ts'
import { readHashed } from '../storage/files/hash-file.ts'
import { isSnapshotId, SHARED, studyDirectory } from '../storage/files/layout.ts'
import { isThere, namesIn, readText } from '../storage/files/optional-files.ts'
import { readFault } from '../storage/files/read-fault.ts'
import { readSealed, seal, unseal } from '../storage/files/sealed-json.ts'
import { checkStoredNames } from '../storage/files/stored-names.ts'
import { type Catalog, type ListedStudy, listedStudyOf, openCatalog } from './catalog.ts'
import { PARTICIPANTS_FILE, TESTS_FILE } from './table-columns.ts'
import { verifyFile } from './verify.ts'

/** The message about a snapshot that cannot be read. */
export const BROKEN = 'a snapshot on disk is not what its manifest promises'

/** Snapshots that one process caches, and studies whose current snapshot it caches. */
const LOADED_MAX = 8
const KNOWN_MAX = 100_000

/** Reads the studies of an installation. Any number of processes may read while one imports. */
export type StudyReader = {
  /** Lists the ids of studies that have a published snapshot, in lower case, sorted. */
  studyIds: () => Promise<string[]>
  /** Returns the id of the current snapshot; null for an unknown or malformed study id. */
  currentId: (studyId: string) => Promise<string | null>
  /** @throws ServiceError not_found, or corrupt when a file is not what its manifest promises */
  load: (studyId: string, snapshotId: string) => Promise<Snapshot>
  /** Opens the current snapshot; null for an unknown or malformed study id. */
  current: (studyId: string) => Promise<Snapshot | null>
}

/** Reads studies, with an index of them for lists. */
export type Studies = StudyReader & Catalog

/** Opens the studies of a data directory for reading. @param dataDir absolute; it need not exist yet */
export function openStudies(dataDir: string): Studies {
  const loaded = new Map<string, Promise<Snapshot>>()
  const currents = new Map<string, { state: string; id: string | null }>()

  /**
   * Returns the id in `current`, which is read only if its state has changed: requests are so frequent that opening it
   * would count.
   */
  const readCurrent = singleFlight(async (studyId) => {
    const directory = studyDirectory(dataDir, studyId)
    if (directory === null) return null
    const state = await settledState(join(directory, 'current'))
    const last = currents.get(studyId)
    if (state !== null && last?.state === state) return last.id
    const id = await currentId(dataDir, studyId)
    if (currents.size >= KNOWN_MAX) currents.clear()
    if (state === null) currents.delete(studyId)
    else currents.set(studyId, { state, id })
    return id
  })
  const isPublished = singleFlight((directory) => isThere(join(directory, 'manifest.json')))

  const load = async (studyId: string, snapshotId: string): Promise<Snapshot> => {
    const study = studyDirectory(dataDir, studyId)
    if (study === null || !isSnapshotId(snapshotId)) throw notFound()
    const directory = join(study, snapshotId)
    // A removed snapshot is gone at once, also for those who had loaded it.
    if (!(await isPublished(directory))) {
      loaded.delete(directory)
      throw notFound()
    }
    const known = loaded.get(directory)
    const snapshot = known ?? openSnapshot(directory)
    // Deleted and set again, the newest use is the map's last entry.
    loaded.delete(directory)
    loaded.set(directory, snapshot)
    if (!known) snapshot.catch(() => loaded.delete(directory))
    while (loaded.size > LOADED_MAX) loaded.delete(loaded.keys().next().value as string)
    return snapshot
  }

  const catalog = openCatalog(dataDir, { currentId: readCurrent, readFacts })
  const studyIds = async () => [...(await catalog.currents()).keys()]
  return {
    ...catalog,
    studyIds,
    currentId: readCurrent,
    load,
    current: (studyId) => loadCurrent(studyId, readCurrent, load),
  }
}

async function loadCurrent(
  studyId: string,
  currentId: Studies['currentId'],
  load: Studies['load'],
): Promise<Snapshot | null> {
  for (let attempt = 1; ; attempt++) {
    const snapshotId = await currentId(studyId)
    if (snapshotId === null) return null
    try {
      return await load(studyId, snapshotId)
    } catch (error) {
      // A removal may have deleted it since `current` was read, and then there is a newer one, or no study.
      const gone = error instanceof ServiceError && error.code === 'not_found'
      if (!gone) throw error
      if (attempt === 3)
        throw new ServiceError('corrupt', `study ${studyId}: its current snapshot is not there`, { cause: error })
    }
  }
}

/**
 * Returns the state of a file; null if it does not exist, or is so new that it may be replaced within the resolution of
 * file times.
 */
async function settledState(path: string): Promise<string | null> {
  const facts = await stat(path, { bigint: true }).catch(nullIfGone)
  return facts !== null && fileAgeMs(Number(facts.ctimeMs)) > TIME_GRAIN_MS ? stateOf(facts) : null
}

/** Returns the id that a study's `current` names; null for an unknown or malformed study id. */
export async function currentId(dataDir: string, studyId: string): Promise<string | null> {
  const directory = studyDirectory(dataDir, studyId)
  return directory === null ? null : currentIdIn(directory)
}

/** Returns the id that `current` in a study's directory names; null if nothing is published. */
export async function currentIdIn(studyDir: string): Promise<string | null> {
  const id = (await readText(join(studyDir, 'current')))?.trim() ?? null
  if (id !== null && !isSnapshotId(id))
    throw new ServiceError('corrupt', `study ${basename(studyDir)}: its current snapshot is not an id`)
  return id
}

/** Lists all snapshots of a study on disk. */
export async function snapshotIds(studyDir: string): Promise<string[]> {
  return (await namesIn(studyDir)).filter(isSnapshotId).sort()
}

/**
 * Opens a snapshot: compares study.json and the tables of participants and tests with the manifest's hashes, not the
 * samples.
 *
 * @throws ServiceError not_found, corrupt, overloaded when too many files are open
 */
export async function openSnapshot(directory: string): Promise<Snapshot> {
  try {
    const manifest = await readManifest(directory)
    // Tables in layers are verified when they are merged.
    for (const file of [PARTICIPANTS_FILE, TESTS_FILE])
      if (manifest.layers === undefined) verifyFile(join(directory, file), manifest.files[file])
    return { id: manifest.snapshotId, directory, manifest, study: await readStudyJson(directory, manifest) }
  } catch (error) {
    if (!(await isThere(directory))) throw notFound()
    throw readFault(error, BROKEN)
  }
}

async function readStudyJson(directory: string, { files }: Manifest): Promise<Study> {
  return JSON.parse((await readHashed(join(directory, 'study.json'), files['study.json'])).toString()) as Study
}

async function readFacts(directory: string): Promise<ListedStudy> {
  const manifest = await readManifest(directory)
  return listedStudyOf(manifest, await readStudyJson(directory, manifest))
}

const MANIFEST = 'manifest.json'
/** Keys that every manifest of this format has. */
const MANIFEST_KEYS = 'formatVersion,snapshotId,studyId,parentId,createdAt,counts,sampleFiles,files,bundle'

/**
 * Reads the manifest of a snapshot's directory. Earlier versions wrote none with a checksum.
 *
 * @param allowsOlder whether one of an earlier format is returned, of which the files and their hashes alone are known
 * @throws ServiceError corrupt, also for that of another snapshot; other_format; a system's error
 */
export async function readManifest(directory: string, { allowsOlder = false } = {}): Promise<Manifest> {
  const id = basename(directory)
  const manifest = await readSealed<Manifest>(
    join(directory, MANIFEST),
    manifestSubject(id),
    ({ participantColumns: _, ...rest }) =>
      !isReadable(Number(rest.formatVersion)) || Object.keys(rest).join() === MANIFEST_KEYS,
  )
  if (manifest === null) throw new ServiceError('corrupt', 'manifest.json is missing')
  if (allowsOlder && manifest.formatVersion < FORMAT_VERSION) return manifest
  return checkManifest(manifest, id)
}

/**
 * Verifies and returns a manifest that a store holds.
 *
 * @throws ServiceError corrupt, also for that of another snapshot
 */
export function manifestIn(text: string, snapshotId: string): Manifest {
  return checkManifest(unseal<Manifest>(text, MANIFEST, manifestSubject(snapshotId)), snapshotId)
}

/** Checks a manifest. Its checksum detects damage, not forgery: anybody who can write to a bucket can compute one. */
function checkManifest(manifest: Manifest, id: string): Manifest {
  if (!isReadable(manifest.formatVersion)) throw otherFormat(manifest.studyId, manifest.formatVersion)
  const { snapshotId, files, sampleFiles, layers = [] } = manifest
  if (snapshotId !== id) throw new ServiceError('corrupt', 'the manifest is of another snapshot')
  const isShared = ({ name, sha256 }: SampleFile) => name.replaceAll('\\', '/') === `../${SHARED}/${sha256}`
  checkStoredNames('the manifest', [
    ...Object.entries(files),
    ...sampleFiles.map((file) => [isShared(file) ? file.sha256 : file.name, file.sha256] as const),
    ...layers.flatMap((layer) => Object.entries(layer)),
  ])
  if (MANIFEST in files) throw new ServiceError('corrupt', 'the manifest lists itself')
  return manifest
}

export function manifestText(manifest: Manifest): string {
  return seal(manifest, manifestSubject(manifest.snapshotId))
}

/** Returns the subject under which a manifest is sealed. */
export function manifestSubject(snapshotId: string): string {
  return `manifest of ${snapshotId}`
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'no such snapshot')
}
