import { directoryStorage } from './directory-storage.ts'
import type { Storage } from './storage.ts'

/** Where records are: in a data directory, by its path, or in a storage that is open. */
export type RecordsAt = string | Storage

/** Opens records, unless that is done. */
export function recordsAt(at: RecordsAt): Storage {
  return typeof at === 'string' ? directoryStorage(at) : at
}
