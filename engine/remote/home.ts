import { join } from 'node:path'
import { openScratch } from '../files/scratch.ts'
import { type Jobs, openJobs } from '../jobs/open-jobs.ts'
import type { Config } from '../model/settings.ts'
import { openStudies, type Studies } from '../snapshot/snapshots.ts'
import { bucketStorage } from '../store/bucket-storage.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { openObjects } from '../store/open-objects.ts'
import type { RecordsAt } from '../store/records.ts'
import { directoryPlace, type StudyPlace } from '../study/place.ts'

/**
 * Where an installation is: in the data directory, or in the bucket of STORE_URL. Nothing else asks which of them it
 * is.
 */
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

/** What says where an installation is; also to a thread. */
export type Address = Pick<Config, 'dataDir' | 'storeUrl' | 'storeCacheGib'>

/** Opens an installation. @param signal aborts what is asked of the bucket */
export async function openHome(address: Address, signal?: AbortSignal): Promise<Home> {
  const { dataDir, storeUrl, storeCacheGib } = address
  if (storeUrl === '') {
    const place = directoryPlace(dataDir)
    return {
      studies: openStudies(dataDir),
      place,
      jobs: openJobs(dataDir),
      records: dataDir,
      objects: null,
      close: place.close,
    }
  }
  const { openFileCache } = await import('../store/file-cache.ts')
  const { openRemote } = await import('./open-remote.ts')
  const objects = await openObjects(storeUrl, signal)
  const cache = await openFileCache(join(dataDir, 'cache'), storeCacheGib * 2 ** 30)
  const { place, jobs } = await openBucket(dataDir, objects)
  return {
    studies: openRemote(objects, cache),
    place,
    jobs,
    records: bucketStorage(objects),
    objects,
    close: async () => {
      await place.close()
      await cache.close()
      objects.close()
    },
  }
}

/** Opens what changes studies, alone: for a thread. */
export async function openPlace({ dataDir, storeUrl }: Pick<Address, 'dataDir' | 'storeUrl'>): Promise<StudyPlace> {
  if (storeUrl === '') return directoryPlace(dataDir)
  return (await openBucket(dataDir, await openObjects(storeUrl))).place
}

async function openBucket(dataDir: string, objects: ObjectStore): Promise<{ place: StudyPlace; jobs: Jobs }> {
  const { openRemoteJobs } = await import('./remote-jobs.ts')
  const { bucketPlace } = await import('./bucket-place.ts')
  const jobs = openRemoteJobs(objects)
  const place = bucketPlace(objects, () => openScratch(dataDir), { jobs: () => jobs, webhooks: bucketStorage(objects) })
  return { place, jobs }
}
