import { join } from 'node:path'
import type { Jobs } from '../../jobs/open-jobs.ts'
import type { Config } from '../../model/settings.ts'
import { bucketStorage } from '../../storage/bucket-storage.ts'
import { openScratch } from '../../storage/files/scratch.ts'
import type { ObjectStore } from '../../storage/objects/object-store.ts'
import { openObjects } from '../../storage/objects/open-objects.ts'
import { directoryHome, type Home } from '../home.ts'
import { directoryPlace, type StudyPlace } from '../place.ts'

/** Settings that locate an installation; they are also passed to threads. */
export type Address = Pick<Config, 'dataDir' | 'storeUrl' | 'storeCacheGib'>

/** Opens an installation. @param signal aborts what is asked of the bucket */
export async function openHome(address: Address, signal?: AbortSignal): Promise<Home> {
  const { dataDir, storeUrl, storeCacheGib } = address
  if (storeUrl === '') return directoryHome(dataDir)
  const { openFileCache } = await import('../../storage/objects/file-cache.ts')
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

/** Opens only the part of an installation that changes studies, for a thread. */
export async function openPlace({ dataDir, storeUrl }: Pick<Address, 'dataDir' | 'storeUrl'>): Promise<StudyPlace> {
  if (storeUrl === '') return directoryPlace(dataDir)
  return (await openBucket(dataDir, await openObjects(storeUrl))).place
}

async function openBucket(dataDir: string, objects: ObjectStore): Promise<{ place: StudyPlace; jobs: Jobs }> {
  const { openRemoteJobs } = await import('../../jobs/bucket/remote-jobs.ts')
  const { bucketPlace } = await import('./bucket-place.ts')
  const jobs = openRemoteJobs(objects)
  const place = bucketPlace(objects, () => openScratch(dataDir), { jobs: () => jobs, webhooks: bucketStorage(objects) })
  return { place, jobs }
}
