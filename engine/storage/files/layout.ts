import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { UUID } from '../../model/parameters.ts'

/** Layout of the data directory (docs/storage.md, "The data directory"). A malformed id has no path. */

const SNAPSHOT_ID = /^[0-9a-f]{64}$/

/** Prefix of temporary names in a study's directory; they are garbage once their owner is gone. */
export const TEMPORARY_PREFIX = '.'

export function studiesDirectory(dataDir: string): string {
  return join(dataDir, 'studies')
}

/**
 * Returns the directory of all studies from that of a snapshot, even an unfinished one. SQL over the snapshot may read
 * nothing else.
 */
export function studiesDirectoryOf(snapshotDirectory: string): string {
  return dirname(dirname(snapshotDirectory))
}

/**
 * Returns the directory of a study; null for an id that is not a UUID, so that no id can lead out of the data
 * directory.
 */
export function studyDirectory(dataDir: string, studyId: string): string | null {
  return UUID.test(studyId) ? join(studiesDirectory(dataDir), studyId.toLowerCase()) : null
}

/** Folder of deduplicated files that several snapshots of a study share, by SHA-256. */
export const SHARED = 'shared'

export function sharedPath(studyDir: string, sha256: string): string {
  return join(studyDir, SHARED, sha256)
}

export function isSnapshotId(name: string): boolean {
  return SNAPSHOT_ID.test(name)
}

export function temporaryPath(directory: string, what: string): string {
  return join(directory, `${TEMPORARY_PREFIX}${what}-${randomUUID()}`)
}
