import { dirname, join } from 'node:path'
import type { Manifest } from '../../model/study.ts'
import { manifestIn } from '../../snapshot/snapshots.ts'
import { SHARED } from '../../storage/files/layout.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import { snapshotKey } from './versions.ts'

/** A file of a snapshot: its path from the snapshot's directory, and its SHA-256 in hex. */
export type SnapshotFile = { path: string; sha256: string }

const IMAGES = 'images/'

/** Returns the files of a snapshot except its manifest: tables with their descriptions, samples, pictures. */
export function filesOfSnapshot(manifest: Manifest): Record<'tables' | 'samples' | 'images', SnapshotFile[]> {
  const { files, layers = [], sampleFiles } = manifest
  const own = Object.entries(files).map(([path, sha256]) => ({ path, sha256 }))
  const shared = layers
    .flatMap((layer) => Object.values(layer))
    .map((sha256) => ({ path: join('..', SHARED, sha256), sha256 }))
  return {
    tables: [...own.filter(({ path }) => !path.startsWith(IMAGES)), ...shared],
    samples: sampleFiles.map(({ name, sha256 }) => ({ path: name, sha256 })),
    images: own.filter(({ path }) => path.startsWith(IMAGES)),
  }
}

/** Returns true for a file that several snapshots share. */
export function isShared(path: string): boolean {
  return dirname(path) === join('..', SHARED)
}

/** Returns all files of a snapshot except its manifest. */
export function allOf(manifest: Manifest): SnapshotFile[] {
  const { tables, samples, images } = filesOfSnapshot(manifest)
  return [...tables, ...samples, ...images]
}

/** Reads and verifies the manifest of a snapshot in a bucket; null if there is none. @throws ServiceError corrupt */
export async function manifestThere(store: ObjectStore, studyId: string, snapshotId: string): Promise<Manifest | null> {
  const text = await readObject(store, snapshotKey(studyId, snapshotId))
  return text && manifestIn(text.toString(), snapshotId)
}

/** Lists the files of a snapshot in a bucket; none if there is no such snapshot. @throws ServiceError corrupt */
export async function filesThere(store: ObjectStore, studyId: string, snapshotId: string): Promise<SnapshotFile[]> {
  const manifest = await manifestThere(store, studyId, snapshotId)
  return manifest === null ? [] : allOf(manifest)
}
