import { type Jobs, openJobs } from '../jobs/open-jobs.ts'
import { openStudies, type Studies } from '../snapshot/snapshots.ts'
import type { ObjectStore } from '../storage/objects/object-store.ts'
import type { RecordsAt } from '../storage/records.ts'
import { directoryPlace, type StudyPlace } from './place.ts'

/** An open installation, in a data directory or in a bucket. No other code asks which of the two it is. */
export type Home = {
  studies: Studies
  /** Location where studies are changed. */
  place: StudyPlace
  jobs: Jobs
  /** Storage of requests for imports and of webhooks. */
  records: RecordsAt
  /** The bucket; null for a data directory. */
  objects: ObjectStore | null
  close: () => Promise<void>
}

/** Opens the installation of a data directory. @param dataDir absolute; it need not exist yet */
export function directoryHome(dataDir: string): Home {
  const place = directoryPlace(dataDir)
  const jobs = openJobs(dataDir)
  return { studies: openStudies(dataDir), place, jobs, records: jobs.storage, objects: null, close: place.close }
}
