import { join } from 'node:path'
import type { Config } from '../../engine/model/settings.ts'
import { openStore, type Store, type Studies } from '../../engine/snapshot/snapshots.ts'
import type { ObjectStore } from '../../engine/store/object-store.ts'

/** The studies of the data directory, or of STORE_URL; then `objects` is where they are, else null. */
type OpenStudies = { studies: Studies; objects: ObjectStore | null; close: () => Promise<void> }

/** Opens the studies that a process reads. @param signal aborts what is asked of STORE_URL */
export async function openStudies(config: Config, signal?: AbortSignal): Promise<OpenStudies> {
  if (config.storeUrl === '') return { studies: openStore(config.dataDir), objects: null, close: async () => {} }
  const { openObjects } = await import('../../engine/store/open-objects.ts')
  const { openFileCache } = await import('../../engine/store/file-cache.ts')
  const { openRemote } = await import('../../engine/remote/open-remote.ts')
  const objects = await openObjects(config.storeUrl, signal)
  const cache = await openFileCache(join(config.dataDir, 'cache'), config.storeCacheGib * 2 ** 30)
  return {
    studies: openRemote(objects, cache),
    objects,
    close: async () => {
      await cache.close()
      objects.close()
    },
  }
}

/** Does `work` with the studies that a command reads. @param signal as `openStudies` */
export async function withStudies<T>(
  config: Config,
  work: (studies: Store) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { studies, close } = await openStudies(config, signal)
  try {
    return await work(studies)
  } finally {
    await close()
  }
}
