import type { BlockFile, ReadFile } from './files/block-file.ts'

/**
 * The files of an installation by name, such as `exports/<job id>/plan.json`: below a data directory, or as objects of
 * a bucket. Jobs, imports, webhooks and uploads are stored through it. A missing file is null, or an error with the
 * code ENOENT where it is opened. Unless stated otherwise, writes are atomic and durable.
 */
export type Storage = {
  /** Reads a sealed file; null when there is none. @param isFormer as `unseal` @throws ServiceError corrupt */
  readSealed: <T extends object>(
    name: string,
    subject: string,
    isFormer?: (content: Record<string, unknown>) => boolean,
  ) => Promise<T | null>
  /** Reads a file as text; null when there is none. */
  readText: (name: string) => Promise<string | null>
  /** Reads a file whole. @throws ENOENT */
  readWhole: (name: string) => Promise<Uint8Array>
  /** Opens a file for reading any range. @param range what will be read of it in order, if that is known */
  open: (name: string, range?: { start: number; end: number }) => Promise<ReadFile>
  /** Returns when a file, or a folder (`name` ends in a slash), last changed, in ms since the epoch; null for none. */
  changedAt: (name: string) => Promise<number | null>
  /** Lists the names in a folder; none if it does not exist. */
  names: (folder: string) => Promise<string[]>
  /** Creates a file unless it exists, and returns whether it did. @throws ENOENT where its folder was removed */
  create: (name: string, text: string) => Promise<boolean>
  /** Replaces a file. @throws ENOENT where its folder was removed */
  replace: (name: string, text: string) => Promise<void>
  /** Creates an empty file, and its folder; not durable. @throws ENOENT where the folder around that was removed */
  touch: (name: string) => Promise<void>
  /** Appends to a file, and returns its size in bytes; neither durable nor atomic. */
  append: (name: string, text: string) => Promise<number>
  /** Removes the last bytes of a file; neither durable nor atomic. */
  shorten: (name: string, bytes: number) => Promise<void>
  /** True if a new file can copy stored bytes server-side, at no other cost. */
  copies: boolean
  /** Creates a file that is written in order. @param target the name that `rename` gives it, unless it is removed */
  newFile: (name: string, target: string) => Promise<BlockFile>
  /** Renames a file; not durable before `sync`. In a bucket, gives a new file its name, and copies any other. */
  rename: (name: string, target: string) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Creates a folder. Its parents are durable on return; its own name is, after `sync` of its parent. */
  makeFolder: (folder: string) => Promise<void>
  /** Syncs the names in a folder; calls that come while a sync is under way are coalesced into the next one. */
  sync: (folder: string) => Promise<void>
  /** Removes a folder with everything in it. */
  removeFolder: (folder: string) => Promise<void>
  removeIfEmpty: (folder: string) => Promise<void>
  /** Removes temporary files of killed processes that were last written before a time. */
  tidy: (folder: string, olderThan: Date) => Promise<void>
  /** Creates an address from which anybody can download a file for a while; null where no server could serve it. */
  presign: (name: string, seconds: number, fileName: string) => Promise<string | null>
  /** Takes the lock of a name, across all processes; null while another holds it. */
  lock: (name: string, waitMs?: number) => Promise<StorageLock | null>
}

export type StorageLock = { isHeld: () => Promise<boolean>; release: () => Promise<void> }
