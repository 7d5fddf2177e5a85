import { ServiceError } from '../../model/errors.ts'
import type { Study } from '../../model/study.ts'
import { type Catalog, type ListedStudy, listedStudyOf } from '../../snapshot/catalog.ts'
import { sha256Of } from '../../snapshot/snapshot-id.ts'
import { singleFlight } from '../../storage/concurrency/coalesce.ts'
import { openThrottle, stopwatch } from '../../storage/concurrency/intervals.ts'
import { forEach } from '../../storage/concurrency/side-by-side.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { manifestThere } from './snapshot-files.ts'
import { fileKey, type NumberedVersion, newestNumbers, newestVersion } from './versions.ts'

/** Throttle for lists of all studies: the minimum interval, and the minimum multiple of a list's duration. */
const ALL_MS = 1000
const ALL_TIMES = 50
const AT_ONCE = 12

/** Index of a bucket's studies in memory, with the newest version of each. */
type RemoteCatalog = Catalog & {
  /** Finds the newest version of a study; null for none. */
  newest: (studyId: string) => Promise<NumberedVersion | null>
}

/**
 * Opens the index of a bucket's studies. The truth is each study's numbered versions. A request for one study checks
 * its versions; all of them are listed only now and then. So a list may lack studies that were copied in the last
 * seconds or, with thousands of studies, minutes.
 */
export function openRemoteCatalog(store: ObjectStore): RemoteCatalog {
  const versions = new Map<string, NumberedVersion>()
  const read = new Map<string, ListedStudy>()
  let currents = new Map<string, string>()
  const lists = openThrottle()

  const newest = singleFlight(async (studyId) => {
    const found = await newestVersion(store, studyId, versions.get(studyId))
    if (found !== null) versions.set(studyId, found)
    return found
  })

  async function listAll(): Promise<void> {
    const tookMs = stopwatch()
    const numbers = await newestNumbers(store)
    const next = new Map<string, string>()
    await forEach(new Set([...numbers.keys(), ...versions.keys()]), AT_ONCE, async (id) => {
      const known = versions.get(id)
      const number = numbers.get(id)
      // Studies that are not listed may be gone, or too new for the list.
      const version =
        known && number !== undefined && known.number >= number
          ? known
          : await newestVersion(store, id, number).catch(damaged)
      if (version === null) versions.delete(id)
      else {
        if (version !== DAMAGED) versions.set(id, version)
        next.set(id, version.snapshotId)
      }
    })
    for (const id of read.keys()) if (!next.has(id)) read.delete(id)
    currents = new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)))
    lists.putOff(Math.max(ALL_MS, ALL_TIMES * tookMs()))
  }

  const refresh = singleFlight(async () => {
    if (lists.isDue()) await listAll()
    return currents
  })

  const known = (studyId: string, snapshotId: string): ListedStudy | null => {
    const last = read.get(studyId)
    return last?.snapshotId === snapshotId ? last : null
  }
  return {
    newest,
    currents: () => refresh(''),
    known,
    facts: async (studyId, snapshotId) => {
      const last = known(studyId, snapshotId)
      if (last !== null) return last
      // Its listed snapshot may be gone.
      const now = async (version: NumberedVersion | null) => version && readFacts(store, studyId, version.snapshotId)
      const found = (await readFacts(store, studyId, snapshotId)) ?? (await now(await newest(studyId)))
      if (found !== null) read.set(studyId, found)
      return found
    },
  }
}

const DAMAGED: NumberedVersion = { number: 0, snapshotId: '', studyFiles: {} }

function damaged(error: unknown): NumberedVersion {
  if (error instanceof ServiceError && error.code === 'corrupt') return DAMAGED
  throw error
}

/** Reads the facts of a snapshot that lists show; null if it is gone. @throws ServiceError corrupt */
async function readFacts(store: ObjectStore, studyId: string, snapshotId: string): Promise<ListedStudy | null> {
  const manifest = await manifestThere(store, studyId, snapshotId)
  if (manifest === null) return null
  const sha256 = manifest.files['study.json']
  const bytes = await readObject(store, fileKey(studyId, sha256))
  if (bytes === null) return null
  if (sha256Of(bytes) !== sha256)
    throw new ServiceError('corrupt', `study ${studyId}: study.json in ${store.name} is not what its manifest promises`)
  return listedStudyOf(manifest, JSON.parse(bytes.toString()) as Study)
}
