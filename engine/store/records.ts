import { mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createDurably, isCode, replaceDurably, syncDirectory } from '../files/durable.ts'
import { takeLockWithin } from '../files/lock.ts'
import { changedAt, isThere, namesIn, removeAside } from '../files/optional-files.ts'
import { readSealed, unseal } from '../files/sealed-json.ts'
import { ServiceError } from '../model/errors.ts'
import { takeLease } from './lease.ts'
import { type ObjectStore, readObject } from './object-store.ts'

/**
 * Small records of an installation, such as requests for imports and webhooks: files of a data directory that only
 * their owner may read, or objects of a bucket, by the same names. Writes are atomic and durable.
 */
export type Records = {
  /** Reads a sealed record; null when there is none. @throws ServiceError corrupt */
  read: <T extends object>(
    name: string,
    subject: string,
    isFormer?: (content: Record<string, unknown>) => boolean,
  ) => Promise<T | null>
  /** Reads a record as text; null when there is none. */
  text: (name: string) => Promise<string | null>
  isThere: (name: string) => Promise<boolean>
  /** When a record, or a folder, was changed last, in ms since the epoch; null when there is none. */
  changedAt: (name: string) => Promise<number | null>
  /** Makes a record unless there is one, and says whether it did. @throws ENOENT where its folder was removed */
  create: (name: string, text: string) => Promise<boolean>
  /** Replaces a record. @throws ENOENT where its folder was removed */
  replace: (name: string, text: string) => Promise<void>
  /** Lists the names in a folder; none if it does not exist. */
  names: (folder: string) => Promise<string[]>
  makeFolder: (folder: string) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Removes a folder with all in it. */
  removeFolder: (folder: string) => Promise<void>
  /** Removes what killed processes were writing in a folder before a time. */
  tidy: (folder: string, olderThan: Date) => Promise<void>
  /** Adds lines to a record for people, which keeps some of the last ones: not durable. */
  log: (name: string, formerName: string, line: string, maxBytes: number) => Promise<void>
  /** Adds a byte to a record of tries, and returns how many it has. */
  addTry: (name: string) => Promise<number>
  takeTry: (name: string) => Promise<void>
  /** Takes the lock of a name, across all processes; null while another holds it. */
  lock: (name: string, waitMs?: number) => Promise<RecordLock | null>
}

export type RecordLock = { isHeld: () => Promise<boolean>; release: () => Promise<void> }

/** Where records are: in a data directory, by its path, or wherever they were opened. */
export type RecordsAt = string | Records

/** Opens records, where that is not done yet. */
export function recordsAt(at: RecordsAt): Records {
  return typeof at === 'string' ? directoryRecords(at) : at
}

const OWNER = 0o600

function directoryRecords(dataDir: string): Records {
  const pathOf = (name: string) => join(dataDir, ...name.split('/'))
  return {
    read: (name, subject, isFormer) => readSealed(pathOf(name), subject, isFormer),
    text: (name) =>
      readFile(pathOf(name), 'utf8').catch((error) =>
        isCode(error, 'ENOENT', 'ENOTDIR') ? null : Promise.reject(error),
      ),
    isThere: (name) => isThere(pathOf(name)),
    changedAt: (name) => changedAt(pathOf(name)),
    create: (name, text) => createDurably(pathOf(name), text, OWNER),
    replace: (name, text) => replaceDurably(pathOf(name), text, OWNER),
    names: (folder) => namesIn(pathOf(folder)),
    makeFolder: async (folder) => {
      const path = pathOf(folder)
      if ((await mkdir(path, { recursive: true, mode: 0o700 })) === undefined) return
      for (let at = path; at !== dataDir; at = dirname(at)) await syncDirectory(dirname(at))
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),
    tidy: (folder, olderThan) => removeAside(pathOf(folder), olderThan),
    log: async (name, formerName, line, maxBytes) => {
      const path = pathOf(name)
      await writeFile(path, line, { mode: OWNER, flag: 'a' })
      if ((await stat(path)).size >= maxBytes) await rename(path, pathOf(formerName))
    },
    addTry: async (name) => {
      await writeFile(pathOf(name), '.', { flag: 'a' })
      return (await stat(pathOf(name))).size
    },
    takeTry: async (name) => truncate(pathOf(name), (await stat(pathOf(name))).size - 1),
    lock: (name, waitMs = 0) => takeLockWithin(pathOf(name), waitMs),
  }
}

/** Opens the records of a bucket. */
export function objectRecords(store: ObjectStore): Records {
  const text = async (name: string) => (await readObject(store, name))?.toString() ?? null
  return {
    read: async <T extends object>(
      name: string,
      subject: string,
      isFormer?: (content: Record<string, unknown>) => boolean,
    ) => {
      const found = await text(name)
      return found === null ? null : unseal<T>(found, basename(name), subject, isFormer)
    },
    text,
    isThere: async (name) => (await store.head(name)) !== null,
    changedAt: async (name) => {
      const facts = await store.head(name)
      if (facts !== null) return facts.changedMs
      let newestMs: number | null = null
      for await (const { changedMs } of store.list(`${name}/`)) newestMs = Math.max(newestMs ?? 0, changedMs)
      return newestMs
    },
    create: (name, given) => store.putIfAbsent(name, given),
    replace: (name, given) => store.put(name, given),
    names: async (folder) => {
      const names = new Set<string>()
      for await (const { key } of store.list(`${folder}/`)) names.add(key.slice(folder.length + 1).split('/')[0])
      return [...names]
    },
    makeFolder: async () => {},
    remove: (name) => store.delete(name),
    removeFolder: async (folder) => {
      const keys: string[] = []
      for await (const { key } of store.list(`${folder}/`)) keys.push(key)
      for (const key of keys) await store.delete(key)
    },
    tidy: async () => {},
    log: async (name, formerName, line, maxBytes) => {
      const all = `${(await text(name)) ?? ''}${line}`
      await store.put(name, all)
      if (Buffer.byteLength(all) < maxBytes) return
      await store.put(formerName, all)
      await store.delete(name)
    },
    addTry: async (name) => {
      const tries = `${(await text(name)) ?? ''}.`
      await store.put(name, tries)
      return tries.length
    },
    takeTry: async (name) => store.put(name, ((await text(name)) ?? '').slice(1)),
    lock: async (name, waitMs) => {
      const lease = await takeLease(store, `leases/${name}`, waitMs)
      return lease && { isHeld: async () => lease.isHeld(), release: lease.release }
    },
  }
}

/** Takes a lock for `work`. @throws ServiceError busy while another process holds it */
export async function whileAlone<T>(
  records: Records,
  name: string,
  what: string,
  work: () => Promise<T>,
  waitMs?: number,
): Promise<T> {
  const lock = await records.lock(name, waitMs)
  if (lock === null) throw new ServiceError('busy', what)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}
