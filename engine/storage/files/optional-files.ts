import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, nullIfGone } from '../../model/system-errors.ts'

/** Reads files and directories that may not exist, or may disappear at any moment; that is an answer, not an error. */

export async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(nullIfGone)
}

export async function readJson<T>(path: string): Promise<T | null> {
  const text = await readText(path)
  return text === null ? null : (JSON.parse(text) as T)
}

/** Lists the names in a directory; none if it does not exist. */
export async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(nullIfGone)) ?? []
}

/** Returns when a file, or the names in a directory, last changed, in ms since the epoch; null if it does not exist. */
export async function changedAt(path: string): Promise<number | null> {
  return (await stat(path).catch(nullIfGone))?.mtimeMs ?? null
}

export async function isThere(path: string): Promise<boolean> {
  return (await changedAt(path)) !== null
}

export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

/** Removes temporary files in a directory that were last written before a time. */
export async function removeAside(directory: string, olderThan: Date): Promise<void> {
  for (const name of (await namesIn(directory)).filter((each) => each.endsWith('.tmp'))) {
    const path = join(directory, name)
    if (((await changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()) await rm(path, { force: true })
  }
}
