import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { unseal } from '../files/sealed-json.ts'
import type { JobDisk, Sweeper } from '../jobs/record/job-disk.ts'
import { isJobId } from '../jobs/record/job-paths.ts'
import { objectGone, openObject } from '../store/object-file.ts'
import { type ObjectStore, readObject } from '../store/object-store.ts'
import type { JobIndex } from './job-index.ts'
import { namesUnder, openPlans } from './plan-objects.ts'
import { newUpload, type Upload } from './uploads.ts'
import { JOBS_ROOT } from './versions.ts'

/** Duration of one process's turn at sweeping; then all may compete for the next. */
const SWEEP_MS = 15_000

/** Returns the files of jobs in a store. */
export function diskInStore(store: ObjectStore, index: JobIndex): JobDisk {
  const plans = openPlans(store)
  const uploads = new Map<string, Upload>()
  const read = (key: string) => readObject(store, key).then((bytes) => bytes?.toString() ?? null)

  /** Notes a change in the index if lists show it: of a plan, an end, or who asks. */
  const note = async (path: string) => {
    const [, id, ...name] = path.split('/')
    if (/^(\d+\.)?(plan|end)\.json$|^by\//.test(name.join('/'))) await index.changed(id)
  }

  return {
    ids: async () => [...(await index.entries()).keys()],
    untidy: index.untidy,
    names: (directory) => namesUnder(store, directory),
    changedAt: async (path) => {
      const id = planOf(path)
      if (id !== null) return plans.changedAt(id)
      if (!isJobId(basename(path))) return (await store.head(path))?.changedMs ?? null
      let newestMs: number | null = null
      for await (const { changedMs } of store.list(`${path}/`)) newestMs = Math.max(newestMs ?? 0, changedMs)
      return newestMs
    },
    readSealed: async <T extends object>(path: string, subject: string) => {
      const id = planOf(path)
      const text = await (id === null ? read(path) : plans.read(id))
      return text === null ? null : unseal<T>(text, basename(path), subject)
    },
    create: async (path, text) => {
      const id = planOf(path)
      const isNew = await (id === null ? store.putIfAbsent(path, text) : plans.create(id, text))
      await note(path)
      return isNew
    },
    replace: async (path, text) => {
      const id = planOf(path)
      await (id === null ? store.put(path, text) : plans.replace(id, text))
      await note(path)
    },
    makeDirectory: async () => undefined,
    touch: async (path) => {
      await store.put(path, '')
      await note(path)
    },
    addTry: async (path) => {
      const tries = `${(await read(path)) ?? ''}.`
      await store.put(path, tries)
      return tries.length
    },
    takeTry: async (path) => store.put(path, ((await read(path)) ?? '').slice(1)),
    countTries: async (path) => ((await read(path)) ?? '').length,
    remove: async (path) => {
      const id = planOf(path)
      const upload = uploads.get(path)
      uploads.delete(path)
      if (upload !== undefined) await upload.abort()
      else await (id === null ? store.delete(path) : plans.remove(id))
      await note(path)
    },
    removeIfEmpty: async () => {},
    removeJob: async (id, isUnwanted) => {
      const newestAttempt = await plans.newestAttempt(id)
      // An attempt that is begun after this has a higher number, and stays.
      if (!(await isUnwanted(`${JOBS_ROOT}/${id}/plan.json`))) return
      await removeObjects(store, id, newestAttempt ?? Number.MAX_SAFE_INTEGER)
      plans.forget(id)
      await index.changed(id)
    },
    copies: store.copies,
    newFile: async (path, target) => {
      const upload = newUpload(store, target)
      uploads.set(path, upload)
      return { write: upload.write, finish: upload.finish, abandon: async () => {} }
    },
    rename: async (path) => {
      const upload = uploads.get(path)
      if (upload === undefined) throw objectGone(path)
      await upload.complete()
      uploads.delete(path)
    },
    open: async (path, range) => {
      if (range !== undefined && (await store.head(path)) === null) throw objectGone(path)
      return openObject(store, path, range)
    },
    readWhole: async (path) => {
      const bytes = await readObject(store, path)
      if (bytes === null) throw objectGone(path)
      return bytes
    },
    presign: store.presign,
    sync: async () => {},
    newSweeper: () => sweepTurns(store, index),
  }
}

/** Returns the job whose `plan.json` a path is; null for any other. */
function planOf(path: string): string | null {
  const [root, id, name, ...more] = path.split('/')
  return root === JOBS_ROOT && name === 'plan.json' && more.length === 0 ? id : null
}

/** Removes the objects of a job up to an attempt. */
async function removeObjects(store: ObjectStore, id: string, attemptMax: number): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(`${JOBS_ROOT}/${id}/`)) keys.push(key)
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
function sweepTurns(store: ObjectStore, index: JobIndex): Sweeper {
  const me = randomUUID()
  let turn = 0
  let isMine = false
  return {
    hold: async () => {
      const now = Math.floor(Date.now() / SWEEP_MS)
      if (now === turn) return isMine
      isMine = await store.putIfAbsent(`sweeps/${now}`, me)
      turn = now
      if (!isMine) return false
      for await (const { key } of store.list('sweeps/')) if (Number(key.slice(7)) < now - 4) await store.delete(key)
      await index.condense()
      return true
    },
    release: async () => {
      isMine = false
    },
  }
}
