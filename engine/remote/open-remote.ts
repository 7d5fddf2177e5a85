import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSnapshotId } from '../files/layout.ts'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import type { SampleFile, Snapshot } from '../model/study.ts'
import { openSnapshot, readManifest, type Store } from '../snapshot/snapshots.ts'
import type { FileCache } from '../store/file-cache.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import { filesOf, type SnapshotFile } from './snapshot-files.ts'
import { fileKey, newestVersion, snapshotKey, studiesIn } from './versions.ts'

/** Sample files that are fetched before they are asked for, behind one that is. */
const AHEAD = 3

/**
 * Opens the studies of an object store for reading. A snapshot that is opened has its tables in the cache's view until that is closed;
 * sample files come when they are held, and the next ones while those are read.
 */
export function openRemote(store: ObjectStore, cache: FileCache): Store {
  const loaded = new Map<string, Promise<Snapshot>>()

  const currentId = async (studyId: string) =>
    UUID.test(studyId) ? ((await newestVersion(store, studyId.toLowerCase()))?.snapshotId ?? null) : null
  const load = async (studyId: string, snapshotId: string): Promise<Snapshot> => {
    if (!UUID.test(studyId) || !isSnapshotId(snapshotId)) throw new ServiceError('not_found', 'no such snapshot')
    const known = loaded.get(snapshotId)
    if (known) return known
    const loading = fetchSnapshot(store, cache, studyId.toLowerCase(), snapshotId)
    loaded.set(snapshotId, loading)
    loading.catch(() => loaded.delete(snapshotId))
    return loading
  }
  return {
    studyIds: () => studiesIn(store),
    currentId,
    load,
    current: async (studyId) => {
      const id = await currentId(studyId)
      return id === null ? null : load(studyId, id)
    },
  }
}

async function fetchSnapshot(
  store: ObjectStore,
  cache: FileCache,
  studyId: string,
  snapshotId: string,
): Promise<Snapshot> {
  const within = join('studies', studyId, snapshotId)
  const directory = join(cache.directory, within)
  const text = await readObject(store, snapshotKey(studyId, snapshotId))
  if (text === null) throw new ServiceError('not_found', 'no such snapshot')
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'manifest.json'), text)
  const manifest = await readManifest(directory)
  const { tables, samples, images } = filesOf(manifest)
  const holdFile = ({ path, sha256 }: SnapshotFile) =>
    cache.hold(sha256, join(within, path), async () => {
      const bytes = await store.get(fileKey(studyId, sha256))
      if (bytes === null) throw gone(studyId, path)
      return bytes
    })
  const releases: (() => void)[] = []
  try {
    for (const release of await Promise.allSettled(tables.map(holdFile))) {
      if (release.status === 'rejected') throw release.reason
      releases.push(release.value)
    }
    const snapshot = await openSnapshot(directory)
    const holdSamples = async (file: SampleFile) => {
      const at = samples.findIndex(({ path }) => path === file.name)
      for (const next of samples.slice(at + 1, at + 1 + AHEAD))
        holdFile(next).then(
          (release) => release(),
          () => undefined,
        )
      return holdFile(samples[at])
    }
    const holdImages = async () => {
      const held = await Promise.all(images.map(holdFile))
      return () => {
        for (const release of held) release()
      }
    }
    return { ...snapshot, hold: (what) => (what === 'images' ? holdImages() : holdSamples(what)) }
  } catch (error) {
    for (const release of releases) release()
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

function gone(studyId: string, path: string): ServiceError {
  return new ServiceError(
    'moved_on',
    `study ${studyId}: ${path} is gone from the store, since the study was replaced there meanwhile: try again`,
  )
}
