import { type Jobs, openJobs } from '../jobs/open-jobs.ts'
import { openStudies, type Studies } from '../snapshot/snapshots.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { RecordsAt } from '../store/records.ts'
import { directoryPlace, type StudyPlace } from './place.ts'

/** An open installation, in a data directory or in a bucket. Nothing asks which of them it is. */
export type Home = {
  studies: Studies
  /** Where studies are changed. */
  place: StudyPlace
  jobs: Jobs
  /** Where requests for imports, and webhooks, are written down. */
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
