import { join } from 'node:path'
import { openRemoteJobs } from '../../engine/jobs/bucket/remote-jobs.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { bucketStorage } from '../../engine/storage/bucket-storage.ts'
import { openScratch } from '../../engine/storage/files/scratch.ts'
import { openFileCache } from '../../engine/storage/objects/file-cache.ts'
import type { ObjectStore } from '../../engine/storage/objects/object-store.ts'
import { bucketPlace } from '../../engine/study/bucket/bucket-place.ts'
import { openRemote } from '../../engine/study/bucket/open-remote.ts'
import { directoryHome, type Home } from '../../engine/study/home.ts'
import { storeOf } from './bucket.ts'
import type { Client } from './disk.ts'

/**
 * Opens an installation as a process of a world has it, in place of `openHome`: with a small cache, and with times that
 * fit into the minutes of a world.
 */
export type WorldHome = Omit<Home, 'close'>

const CACHE_BYTES = 400
const TIMES = { idleMs: 20_000, replacedMs: 40_000, orphanedMs: 60_000, scanEveryMs: 20_000 }

export function homeOf(client: Client, dataDir: string, isInBucket: boolean): WorldHome {
  if (!isInBucket) return directoryHome(dataDir)
  const objects = storeOf(client)
  const jobs = openRemoteJobs(objects)
  const records = bucketStorage(objects)
  const means = { jobs: () => jobs, webhooks: records }
  const place = bucketPlace(objects, () => openScratch(dataDir), means, TIMES)
  return { studies: remoteStudies(objects, dataDir), place, jobs, records, objects }
}

/** Opens the studies of the bucket, by a cache that is opened when it is needed first, and again where that failed. */
export function remoteStudies(objects: ObjectStore, dataDir: string): Studies {
  let opening: Promise<Studies> | null = null
  let opened: Studies | null = null
  const open = () => {
    opening ??= openFileCache(join(dataDir, 'cache'), CACHE_BYTES).then(
      (cache) => {
        opened = openRemote(objects, cache)
        return opened
      },
      (error) => {
        opening = null
        throw error
      },
    )
    return opening
  }
  return {
    studyIds: async () => (await open()).studyIds(),
    currentId: async (studyId) => (await open()).currentId(studyId),
    load: async (studyId, snapshotId) => (await open()).load(studyId, snapshotId),
    current: async (studyId) => (await open()).current(studyId),
    currents: async () => (await open()).currents(),
    facts: async (studyId, snapshotId) => (await open()).facts(studyId, snapshotId),
    known: (studyId, snapshotId) => opened?.known(studyId, snapshotId) ?? null,
  }
}
