import { basename } from 'node:path'
import { unseal } from './files/sealed-json.ts'
import { takeLease } from './objects/lease.ts'
import { newObject, type ObjectUpload } from './objects/new-object.ts'
import { objectGone, openObject } from './objects/object-file.ts'
import { type ObjectStore, readObject } from './objects/object-store.ts'
import type { Storage } from './storage.ts'

/** Opens the files of an installation in a bucket. */
export function bucketStorage(store: ObjectStore): Storage {
  const uploads = new Map<string, ObjectUpload>()
  const readText = async (name: string) => (await readObject(store, name))?.toString() ?? null

  return {
    readSealed: async (name, subject, isFormer) => {
      const text = await readText(name)
      return text === null ? null : unseal(text, basename(name), subject, isFormer)
    },
    readText,
    readWhole: async (name) => (await readObject(store, name)) ?? Promise.reject(objectGone(name)),
    open: async (name, range) => {
      if (range !== undefined && (await store.head(name)) === null) throw objectGone(name)
      return openObject(store, name, range)
    },
    changedAt: (name) => changedAt(store, name),
    names: (folder) => namesIn(store, folder),
    create: store.putIfAbsent,
    replace: store.put,
    touch: (name) => store.put(name, ''),
    append: async (name, text) => {
      const bytes = Buffer.from(`${(await readText(name)) ?? ''}${text}`)
      await store.put(name, bytes)
      return bytes.length
    },
    shorten: async (name, bytes) =>
      store.put(name, ((await readObject(store, name)) ?? Buffer.alloc(0)).subarray(0, -bytes)),
    copies: store.copies,
    newFile: async (name, target) => {
      const upload = newObject(store, target)
      uploads.set(name, upload)
      return { write: upload.write, finish: upload.finish, abandon: async () => {} }
    },
    rename: async (name, target) => {
      const upload = uploads.get(name)
      if (upload === undefined) return moveObject(store, name, target)
      await upload.complete()
      uploads.delete(name)
    },
    remove: async (name) => {
      const upload = uploads.get(name)
      uploads.delete(name)
      await (upload === undefined ? store.delete(name) : upload.abort())
    },
    makeFolder: async () => {},
    sync: async () => {},
    removeFolder: async (folder) => {
      const keys: string[] = []
      for await (const { key } of store.list(`${folder}/`)) keys.push(key)
      for (const key of keys) await store.delete(key)
    },
    removeIfEmpty: async () => {},
    tidy: async () => {},
    presign: store.presign,
    lock: async (name, waitMs) => {
      const lease = await takeLease(store, `leases/${name}`, waitMs)
      return lease && { isHeld: async () => lease.isHeld(), release: lease.release }
    },
  }
}

/** Returns when an object was last changed; of a folder, which ends in a slash, the newest object in it. */
async function changedAt(store: ObjectStore, name: string): Promise<number | null> {
  if (!name.endsWith('/')) return (await store.head(name))?.changedMs ?? null
  let newestMs: number | null = null
  for await (const { changedMs } of store.list(name)) newestMs = Math.max(newestMs ?? 0, changedMs)
  return newestMs
}

async function moveObject(store: ObjectStore, name: string, target: string): Promise<void> {
  const bytes = await readObject(store, name)
  if (bytes === null) throw objectGone(name)
  await store.put(target, bytes)
  await store.delete(name)
}

async function namesIn(store: ObjectStore, folder: string): Promise<string[]> {
  const names = new Set<string>()
  for await (const { key } of store.list(`${folder}/`)) names.add(key.slice(folder.length + 1).split('/')[0])
  return [...names]
}
