import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BlockFile, createBlockFile, type ReadFile } from '../../files/block-file.ts'
import { createDurably, isCode, replaceDurably, syncDirectory, unlessThere } from '../../files/durable.ts'
import { type Lock, takeLock } from '../../files/lock.ts'
import { changedAt, namesIn, removeIfEmpty } from '../../files/optional-files.ts'
import { readSealed } from '../../files/sealed-json.ts'
import { isJobId, planPath } from './job-paths.ts'

/**
 * Storage of the files of jobs: a directory, or a store. Paths are those of job-paths.ts. A file that is not there is
 * null, or an error of the code ENOENT where it is opened.
 */
export type JobDisk = {
  /** Lists the ids of all jobs. */
  ids: () => Promise<string[]>
  /** Lists names below the root where leftovers of dead processes may be. */
  untidy: () => Promise<string[]>
  /** Lists the names in a directory; none if it does not exist. */
  names: (directory: string) => Promise<string[]>
  /** Time of the last change of a file, or of a directory's entries, in ms since the epoch. */
  changedAt: (path: string) => Promise<number | null>
  /** Reads a sealed file. @throws ServiceError corrupt */
  readSealed: <T extends object>(path: string, subject: string) => Promise<T | null>
  /** Makes a file durably unless there is one, and says whether it did. */
  create: (path: string, text: string) => Promise<boolean>
  /** Replaces a file, durably. */
  replace: (path: string, text: string) => Promise<void>
  /** Makes the directory of a new job, and returns the first that was not there. */
  makeDirectory: (path: string) => Promise<string | undefined>
  /** Makes an empty file. @throws ENOENT where its job's directory is gone */
  touch: (path: string) => Promise<void>
  /** Adds a byte to a file of tries, and returns how many it has. */
  addTry: (path: string) => Promise<number>
  takeTry: (path: string) => Promise<void>
  countTries: (path: string) => Promise<number>
  remove: (path: string) => Promise<void>
  removeIfEmpty: (directory: string) => Promise<void>
  /**
   * Removes a job with all its files.
   *
   * @param isUnwanted asked of the plan when nobody can replace it unseen any more; if it says no, the job stays
   */
  removeJob: (id: string, isUnwanted: (planPath: string) => Promise<boolean>) => Promise<void>
  /** True if a new file can copy stored bytes server-side, at no other cost. */
  copies: boolean
  /** Creates a file that is written in order. @param target the name that it will get by `rename`, or be removed */
  newFile: (path: string, target: string) => Promise<BlockFile>
  rename: (path: string, target: string) => Promise<void>
  /** Opens a file for reading. @param range what will be read of it in order, if that is known */
  open: (path: string, range?: { start: number; end: number }) => Promise<ReadFile>
  readWhole: (path: string) => Promise<Uint8Array>
  /**
   * Makes an address from which anybody can read a file for a while; null where no server could give it.
   *
   * @param fileName as of a download
   */
  presign: (path: string, seconds: number, fileName: string) => Promise<string | null>
  /** Syncs the names in a directory. */
  sync: (directory: string) => Promise<void>
  /** Returns one that would sweep; of all of them, one holds the sweep at a time. */
  newSweeper: () => Sweeper
}

/** Location of jobs. */
export type JobPlace = {
  /** Prefix of their paths: `exports` in the data directory, created when first needed; or in a store. */
  root: string
  disk: JobDisk
}

export type Sweeper = {
  /** Returns true if this process holds the sweep, for now. */
  hold: () => Promise<boolean>
  release: () => Promise<void>
}

/** Prefix of the directories of jobs that are being removed. */
export const REMOVED_PREFIX = '.removed-'

/** Returns the files of jobs below a directory. @param root absolute */
export function diskBelow(root: string): JobDisk {
  return {
    ids: async () => (await namesIn(root)).filter(isJobId),
    untidy: () => namesIn(root),
    names: namesIn,
    changedAt,
    readSealed,
    create: createDurably,
    replace: replaceDurably,
    makeDirectory: (path) => mkdir(path, { recursive: true }),
    touch: async (path) => {
      try {
        await writeFile(path, '')
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error
        await mkdir(dirname(path)).catch(unlessThere)
        await writeFile(path, '')
      }
    },
    addTry: async (path) => {
      await writeFile(path, '.', { flag: 'a' })
      return (await stat(path)).size
    },
    takeTry: async (path) => truncate(path, (await stat(path)).size - 1),
    countTries: async (path) => {
      try {
        return (await stat(path)).size
      } catch (error) {
        if (isCode(error, 'ENOENT')) return 0
        throw error
      }
    },
    remove: (path) => rm(path, { force: true }),
    removeIfEmpty,
    removeJob: async (id, isUnwanted) => {
      const aside = join(root, `${REMOVED_PREFIX}${id}-${randomBytes(6).toString('hex')}`)
      await rename(join(root, id), aside)
      // Asked for anew just before it was moved: put it back, unless it has been asked for once more since.
      if (!(await isUnwanted(planPath(aside, '')))) await rename(aside, join(root, id)).catch(() => undefined)
      await rm(aside, { recursive: true, force: true })
    },
    copies: false,
    newFile: (path) => createBlockFile(path, 'wx'),
    rename,
    open: (path) => open(path, 'r'),
    readWhole: (path) => readFile(path),
    presign: async () => null,
    sync: syncDirectory,
    newSweeper: () => sweepLock(join(root, 'sweep.lock')),
  }
}

function sweepLock(path: string): Sweeper {
  let lock: Lock | null = null
  const release = async () => {
    await lock?.release()
    lock = null
  }
  return {
    hold: async () => {
      if (lock && !(await lock.isHeld())) await release()
      lock ??= await takeLock(path)
      return lock !== null
    },
    release,
  }
}
