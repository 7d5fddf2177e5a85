import { randomBytes } from 'node:crypto'
import { singleFlight } from '../concurrency/coalesce.ts'
import { interestedIn } from '../jobs/interest.ts'
import type { Jobs } from '../jobs/open-jobs.ts'
import { findJob } from '../jobs/record/read-job.ts'
import { indexUnfinished } from '../jobs/unfinished-jobs.ts'
import { ServiceError } from '../model/errors.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import { objectRecords } from '../store/records.ts'
import { openByToken, openJobIndex } from './job-index.ts'
import type { IndexedJob } from './job-list.ts'
import { diskInStore } from './remote-disk.ts'
import { JOBS_ROOT } from './versions.ts'

/** Opens the jobs of a store, which any number of processes share. */
export function openRemoteJobs(store: ObjectStore): Jobs {
  const readIndexed = async (id: string): Promise<IndexedJob> => {
    const found = await findJob(place, id)
    return { ...found, askedBy: found.job?.end === null ? await interestedIn(place, found.job) : [] }
  }
  const index = openJobIndex(store, readIndexed)
  const place = { root: JOBS_ROOT, disk: diskInStore(store, index) }
  const find = singleFlight((id) => findJob(place, id))
  return {
    ...place,
    find,
    read: async (id) => (await find(id)).job,
    every: async function* () {
      for (const [id, { job, damage }] of [...(await index.entries())]) yield { id, job, damage }
    },
    unfinished: indexUnfinished(async () => openByToken(await index.entries())),
    beginning: new Map(),
    sync: async () => {},
    isRootSynced: true,
    webhooksIn: objectRecords(store),
  }
}

/** Returns the id of the installation in a store, 16 hex digits, made once. @throws ServiceError corrupt */
export async function storeInstance(store: ObjectStore): Promise<string> {
  await store.putIfAbsent('instance', randomBytes(8).toString('hex'))
  const id = (await readObject(store, 'instance'))?.toString() ?? ''
  if (/^[0-9a-f]{16}$/.test(id)) return id
  throw new ServiceError('corrupt', `the object \`instance\` in ${store.name} is damaged: delete it and start again`)
}
