import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { UUID } from '../model/parameters.ts'

/**
 * Layout of the data directory (docs/storage.md, "The data directory"). A malformed id has no path.
 */

const SNAPSHOT_ID = /^[0-9a-f]{64}$/

/** Names in a study's directory that start with this are work in progress, and garbage once their owner is gone. */
export const TEMPORARY_PREFIX = '.'

export function studiesDirectory(dataDir: string): string {
  return join(dataDir, 'studies')
}

/**
 * Returns the directory of all studies that a snapshot lies in, also one in the making: all that SQL over it may read.
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

/** Folder of the files that several snapshots of a study share, each once, by its SHA-256 (deduplicated). */
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
