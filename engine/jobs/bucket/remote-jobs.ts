import { randomBytes, randomUUID } from 'node:crypto'
import { ServiceError } from '../../model/errors.ts'
import { bucketStorage } from '../../storage/bucket-storage.ts'
import { singleFlight } from '../../storage/concurrency/coalesce.ts'
import { type ObjectStore, readObject } from '../../storage/objects/object-store.ts'
import type { Storage } from '../../storage/storage.ts'
import { interestedIn } from '../interest.ts'
import type { Jobs, Sweeper } from '../open-jobs.ts'
import { jobPath, planPath } from '../record/job-paths.ts'
import { findJob } from '../record/read-job.ts'
import { indexUnfinished } from '../unfinished-jobs.ts'
import { type JobIndex, openByToken, openJobIndex } from './job-index.ts'
import type { IndexedJob } from './job-list.ts'
import { numberPlans } from './plan-objects.ts'

/** Duration of a turn at sweeping, after which all processes compete again. */
const SWEEP_MS = 15_000

/** Opens the jobs of a bucket, which any number of processes share. */
export function openRemoteJobs(store: ObjectStore, now: () => Date = () => new Date()): Jobs {
  const storage = bucketStorage(store)
  const plans = numberPlans(storage)
  const readIndexed = async (id: string): Promise<IndexedJob> => {
    const found = await findJob(place, id)
    return { ...found, askedBy: found.job?.end === null ? await interestedIn(place, found.job) : [] }
  }
  const index = openJobIndex(store, readIndexed, () => now().getTime())
  const place = { storage: notingChanges(plans.storage, index) }
  const find = singleFlight((id) => findJob(place, id))
  return {
    ...place,
    ids: async () => [...(await index.entries()).keys()],
    untidy: index.untidy,
    find,
    read: async (id) => (await find(id)).job,
    every: async function* () {
      for (const [id, { job, damage }] of [...(await index.entries())]) yield { id, job, damage }
    },
    remove: async (id, isUnwanted) => {
      const newestAttempt = await plans.newestAttempt(id)
      // An attempt that is begun after this has a higher number, and stays.
      if (!(await isUnwanted(planPath(id)))) return
      await removeObjects(store, id, newestAttempt ?? Number.MAX_SAFE_INTEGER)
      plans.forget(id)
      await index.changed(id)
    },
    newSweeper: () => sweepTurns(store, index, now),
    unfinished: indexUnfinished(async () => openByToken(await index.entries())),
    beginning: new Map(),
    now,
    webhooksIn: storage,
  }
}

/** Records each change that lists show in the index: of a plan, an end, or an interest. */
function notingChanges(storage: Storage, index: JobIndex): Storage {
  const note = async <T>(name: string, change: Promise<T>): Promise<T> => {
    const done = await change
    const [, id, ...file] = name.split('/')
    if (/^(\d+\.)?(plan|end)\.json$|^by\//.test(file.join('/'))) await index.changed(id)
    return done
  }
  return {
    ...storage,
    create: (name, text) => note(name, storage.create(name, text)),
    replace: (name, text) => note(name, storage.replace(name, text)),
    touch: (name) => note(name, storage.touch(name)),
    remove: (name) => note(name, storage.remove(name)),
  }
}

/** Removes the objects of a job up to an attempt. */
async function removeObjects(store: ObjectStore, id: string, attemptMax: number): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(jobPath(id, ''))) keys.push(key)
  // The plan goes first: without it there is no job.
  keys.sort((a, b) => Number(b.endsWith('.plan.json')) - Number(a.endsWith('.plan.json')))
  for (const key of keys) if (attemptOf(key) <= attemptMax) await store.delete(key)
}

/** Returns the attempt that an object of a job is of, from its key. */
function attemptOf(key: string): number {
  const [, , name, interest] = key.split('/')
  return Number.parseInt(interest === undefined ? name : (interest.split('.').at(-1) ?? ''), 10) || 0
}

/** Elects the process that sweeps: the first to create the object of the current quarter of a minute. */
function sweepTurns(store: ObjectStore, index: JobIndex, now: () => Date): Sweeper {
  const me = randomUUID()
  let turn = 0
  let isMine = false
  return {
    hold: async () => {
      const current = Math.floor(now().getTime() / SWEEP_MS)
      if (current === turn) return isMine
      isMine = await store.putIfAbsent(`sweeps/${current}`, me)
      turn = current
      if (!isMine) return false
      for await (const { key } of store.list('sweeps/')) if (Number(key.slice(7)) < current - 4) await store.delete(key)
      await index.condense()
      return true
    },
    release: async () => {
      isMine = false
    },
  }
}

/** Returns the id of the installation in a store, 16 hex digits, made once. @throws ServiceError corrupt */
export async function storeInstance(store: ObjectStore): Promise<string> {
  await store.putIfAbsent('instance', randomBytes(8).toString('hex'))
  const id = (await readObject(store, 'instance'))?.toString() ?? ''
  if (/^[0-9a-f]{16}$/.test(id)) return id
  throw new ServiceError('corrupt', `the object \`instance\` in ${store.name} is damaged: delete it and start again`)
}
