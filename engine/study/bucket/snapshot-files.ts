import { dirname, join } from 'node:path'
import type { Manifest } from '../../model/study.ts'
import { SHARED } from '../../storage/files/layout.ts'

/** A file of a snapshot: its path from the snapshot's directory, and its SHA-256 in hex. */
export type SnapshotFile = { path: string; sha256: string }

const IMAGES = 'images/'

/** Returns the files of a snapshot except its manifest: tables with their descriptions, samples, pictures. */
export function filesOf({
  files,
  layers = [],
  sampleFiles,
}: Manifest): Record<'tables' | 'samples' | 'images', SnapshotFile[]> {
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
  const { tables, samples, images } = filesOf(manifest)
  return [...tables, ...samples, ...images]
}
