import { join } from 'node:path'
import type { Config } from '../engine/model/settings.ts'
import { openStore, type Store } from '../engine/snapshot/snapshots.ts'

/** Does `work` with the studies that a command reads: those of the data directory, or of STORE_URL. */
export async function withStudies<T>(config: Config, work: (studies: Store) => Promise<T>): Promise<T> {
  if (config.storeUrl === '') return work(openStore(config.dataDir))
  const { openObjects } = await import('../engine/store/open-objects.ts')
  const { openFileCache } = await import('../engine/store/file-cache.ts')
  const { openRemote } = await import('../engine/remote/open-remote.ts')
  const objects = await openObjects(config.storeUrl)
  const cache = await openFileCache(join(config.dataDir, 'cache'), config.storeCacheGib * 2 ** 30)
  try {
    return await work(openRemote(objects, cache))
  } finally {
    await cache.close()
    objects.close()
  }
}
