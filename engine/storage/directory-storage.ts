import { mkdir, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isCode } from '../model/system-errors.ts'
import { singleFlight } from './concurrency/coalesce.ts'
import { createBlockFile } from './files/block-file.ts'
import { createDurably, makeDirectory, replaceDurably, syncDirectory, unlessThere } from './files/durable.ts'
import { takeLockWithin } from './files/lock.ts'
import { changedAt, namesIn, readText, removeAside, removeIfEmpty } from './files/optional-files.ts'
import { readSealed } from './files/sealed-json.ts'
import type { Storage } from './storage.ts'

/** Mode of files that only their owner may read. */
const OWNER = 0o600

/** Opens the files of a data directory. @param dataDir absolute; it need not exist yet */
export function directoryStorage(dataDir: string): Storage {
  const pathOf = (name: string) => join(dataDir, ...name.split('/'))
  const sync = singleFlight(syncDirectory)
  /** Folders whose own names are durable. */
  const durable = new Set<string>()

  return {
    readSealed: (name, subject, isFormer) => readSealed(pathOf(name), subject, isFormer),
    readText: (name) => readText(pathOf(name)),
    readWhole: (name) => readFile(pathOf(name)),
    open: (name) => open(pathOf(name), 'r'),
    changedAt: (name) => changedAt(pathOf(name)),
    names: (folder) => namesIn(pathOf(folder)),
    create: (name, text) => createDurably(pathOf(name), text, OWNER),
    replace: (name, text) => replaceDurably(pathOf(name), text, OWNER),
    touch: async (name) => {
      const path = pathOf(name)
      try {
        await writeFile(path, '')
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error
        await mkdir(dirname(path)).catch(unlessThere)
        await writeFile(path, '')
      }
    },
    append: async (name, text) => {
      const path = pathOf(name)
      await writeFile(path, text, { mode: OWNER, flag: 'a' })
      return (await stat(path)).size
    },
    shorten: async (name, bytes) => truncate(pathOf(name), (await stat(pathOf(name))).size - bytes),
    copies: false,
    newFile: (name) => createBlockFile(pathOf(name), 'wx'),
    rename: (name, target) => rename(pathOf(name), pathOf(target)),
    remove: (name) => rm(pathOf(name), { force: true }),
    makeFolder: async (folder) => {
      const path = pathOf(folder)
      const first = (await makeDirectory(path, 0o700)) ?? path
      for (let at = dirname(path); at.length > dataDir.length; at = dirname(at)) {
        if (durable.has(at) && at.length < first.length) continue
        await sync(dirname(at))
        durable.add(at)
      }
    },
    sync: (folder) => sync(pathOf(folder)),
    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),
    removeIfEmpty: (folder) => removeIfEmpty(pathOf(folder)),
    tidy: (folder, olderThan) => removeAside(pathOf(folder), olderThan),
    presign: async () => null,
    lock: (name, waitMs = 0) => takeLockWithin(pathOf(name), waitMs),
  }
}
