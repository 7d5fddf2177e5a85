import { directoryStorage } from './directory-storage.ts'
import type { Storage } from './storage.ts'

/** Location of records: the path of a data directory, or an open storage. */
export type RecordsAt = string | Storage

/** Returns the storage at a location. */
export function recordsAt(at: RecordsAt): Storage {
  return typeof at === 'string' ? directoryStorage(at) : at
}
