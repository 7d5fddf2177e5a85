import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isCode } from '../../model/system-errors.ts'
import { closing } from '../concurrency/closing.ts'

/**
 * Atomic and durable writes: a file is whole or absent, even after a power cut. It is written to a temporary file,
 * synced and renamed, and the directory is synced. An interrupted write leaves a file that ends in `.tmp`.
 */

/**
 * Creates a file with this text unless it exists, and returns whether it did.
 *
 * @param mode who may read it, as of `open`
 */
export async function createDurably(path: string, text: string, mode?: number): Promise<boolean> {
  const aside = await writeAside(path, text, mode)
  try {
    await link(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
  await Promise.all([syncDirectory(dirname(path)), rm(aside, { force: true })])
  return true
}

/** Replaces a file, atomically and durably. @param mode who may read it, as of `open` */
export async function replaceDurably(path: string, text: string | Buffer, mode?: number): Promise<void> {
  const aside = await writeAside(path, text, mode)
  try {
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  await syncDirectory(dirname(path))
}

/** Creates a file and syncs it. */
export async function writeSynced(path: string, bytes: string | Buffer): Promise<void> {
  await closing(await open(path, 'wx'), async (file) => {
    await file.writeFile(bytes)
    await file.sync()
  })
}

/** Syncs a file. */
export async function syncFile(path: string): Promise<void> {
  await closing(await open(path, 'r+'), (file) => file.sync())
}

export async function syncDirectory(path: string): Promise<void> {
  await closing(await open(path, 'r'), (directory) => directory.sync())
}

/**
 * Creates a directory and its parents, and returns the first that was created, as `mkdir` does.
 *
 * @throws EROFS on a read-only disk, where `mkdir` says ENOENT
 */
export async function makeDirectory(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode })
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    let missing = path
    while (!existsSync(dirname(missing)) && dirname(missing) !== missing) missing = dirname(missing)
    await mkdir(missing, { mode }).catch(unlessThere)
    throw error
  }
}

/** Ignores the error that a file already exists. @throws any other */
export function unlessThere(error: unknown): void {
  if (!isCode(error, 'EEXIST')) throw error
}

async function writeAside(path: string, text: string | Buffer, mode?: number): Promise<string> {
  const aside = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = await open(aside, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return aside
}
