import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { UUID } from '../../model/parameters.ts'
import type { SampleFile, Snapshot } from '../../model/study.ts'
import { manifestText, openSnapshot, type Studies } from '../../snapshot/snapshots.ts'
import { stopwatch } from '../../storage/concurrency/intervals.ts'
import { makeDirectory } from '../../storage/files/durable.ts'
import { isSnapshotId } from '../../storage/files/layout.ts'
import type { FileCache } from '../../storage/objects/file-cache.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { openRemoteCatalog } from './remote-catalog.ts'
import { filesOfSnapshot, manifestThere, type SnapshotFile } from './snapshot-files.ts'
import { fetchContent, gone } from './study-content.ts'
import { fileKey, type NumberedVersion } from './versions.ts'

/** Number of sample files to prefetch after one that is requested. */
const AHEAD = 3
/** Maximum number of open snapshots, and the time after which an unused one is closed. */
const LOADED_MAX = 64
const IDLE_MS = 3_600_000

/** @property usedMs time since its last use */
type Loaded = { loading: Promise<Fetched>; usedMs: () => number }
type Fetched = { snapshot: Snapshot; release: () => void }

/**
 * Opens the studies of a bucket for reading. Tables of an open snapshot are in the cache's view. Sample files are
 * fetched when they are pinned, and the next ones are prefetched.
 */
export function openRemote(store: ObjectStore, cache: FileCache): Studies {
  const loaded = new Map<string, Loaded>()
  const catalog = openRemoteCatalog(store)
  const histories = new Map<string, { version: NumberedVersion; placed: Promise<void> }>()

  const newest = async (studyId: string): Promise<NumberedVersion | null> =>
    UUID.test(studyId) ? catalog.newest(studyId.toLowerCase()) : null
  const load = async (studyId: string, snapshotId: string): Promise<Snapshot> => {
    if (!UUID.test(studyId) || !isSnapshotId(snapshotId)) throw new ServiceError('not_found', 'no such snapshot')
    const known = loaded.get(snapshotId)
    const one: Loaded = known ?? {
      loading: fetchSnapshot(store, cache, studyId.toLowerCase(), snapshotId, () => {
        one.usedMs = stopwatch()
      }),
      usedMs: stopwatch(),
    }
    one.usedMs = stopwatch()
    // Deleted and set again, the newest use is the map's last entry.
    loaded.delete(snapshotId)
    loaded.set(snapshotId, one)
    if (!known) one.loading.catch(() => loaded.delete(snapshotId))
    closeIdle(loaded)
    return (await one.loading).snapshot
  }
  /** Writes a study's history, past AOIs and analyses to where their readers expect them. */
  const placeHistory = (studyId: string, version: NumberedVersion): Promise<void> => {
    const last = histories.get(studyId)
    if (last !== undefined && last.version.number >= version.number) return last.placed
    // What is placed by one that fails is not known: then all is written again.
    const before = last?.placed.then(() => last.version).catch(() => null) ?? Promise.resolve(null)
    const placed = before.then((known) =>
      fetchContent(store, join(cache.directory, 'studies', studyId), version, known),
    )
    histories.set(studyId, { version, placed })
    placed.catch(() => histories.delete(studyId))
    return placed
  }
  return {
    ...catalog,
    studyIds: async () => [...(await catalog.currents()).keys()],
    currentId: async (studyId) => (await newest(studyId))?.snapshotId ?? null,
    load,
    current: async (studyId) => {
      const version = await newest(studyId)
      if (version === null) return null
      const snapshot = await load(studyId, version.snapshotId)
      await placeHistory(studyId.toLowerCase(), version)
      return snapshot
    },
  }
}

function closeIdle(loaded: Map<string, Loaded>): void {
  for (const [id, { loading, usedMs }] of loaded) {
    if (loaded.size <= LOADED_MAX) return
    if (usedMs() < IDLE_MS) continue
    loaded.delete(id)
    void loading.then(({ release }) => release()).catch(() => undefined)
  }
}

async function fetchSnapshot(
  store: ObjectStore,
  cache: FileCache,
  studyId: string,
  snapshotId: string,
  onUse: () => void,
): Promise<Fetched> {
  const within = join('studies', studyId, snapshotId)
  const directory = join(cache.directory, within)
  const manifest = await manifestThere(store, studyId, snapshotId)
  if (manifest === null) throw new ServiceError('not_found', 'no such snapshot')
  await makeDirectory(directory)
  await writeFile(join(directory, 'manifest.json'), manifestText(manifest))
  const { tables, samples, images } = filesOfSnapshot(manifest)
  const pinFile: PinFile = ({ path, sha256 }) =>
    cache.pin(sha256, join(within, path), async () => {
      const bytes = await store.get(fileKey(studyId, sha256))
      if (bytes === null) throw gone(studyId, path)
      return bytes
    })
  const pinSamples = async (file: SampleFile) => {
    onUse()
    const at = samples.findIndex(({ path }) => path === file.name)
    for (const next of samples.slice(at + 1, at + 1 + AHEAD))
      pinFile(next).then(
        (release) => release(),
        () => undefined,
      )
    return pinFile(samples[at])
  }
  let release = () => {}
  try {
    release = await pinAll(tables, pinFile)
    const snapshot = await openSnapshot(directory)
    return {
      snapshot: {
        ...snapshot,
        pin: async (what) => {
          if (what === 'images') return pinAll(images, pinFile)
          return 'image' in what
            ? pinAll(
                images.filter(({ path }) => path === `images/${what.image}`),
                pinFile,
              )
            : pinSamples(what)
        },
      },
      release,
    }
  } catch (error) {
    release()
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

/** Fetches a file, and keeps it until the returned function is called. */
type PinFile = (file: SnapshotFile) => Promise<() => void>

/** Pins all of the files, or none. */
async function pinAll(files: SnapshotFile[], pinFile: PinFile): Promise<() => void> {
  const held = await Promise.allSettled(files.map(pinFile))
  const release = () => {
    for (const each of held) if (each.status === 'fulfilled') each.value()
  }
  for (const each of held) {
    if (each.status === 'fulfilled') continue
    release()
    throw each.reason
  }
  return release
}
