import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Permission bits of others on the machine, in the mode of a file. */
const OTHERS = 0o077

/**
 * Finds files that others on the machine can read or write; recordings are only for the service's user. Files in a
 * directory that is closed to others are out of their reach, whatever their own mode. On systems without such modes, it
 * finds nothing.
 */
export async function* openToOthers(directory: string): AsyncGenerator<string> {
  if (process.platform === 'win32') return
  const found = await lstat(directory).catch(() => null)
  // Links are skipped, since their targets may belong to others; a file that was deleted meanwhile does not matter.
  if (found === null || found.isSymbolicLink()) return
  if ((found.mode & OTHERS) === 0) return
  yield directory
  if (!found.isDirectory()) return
  for (const name of await readdir(directory).catch(() => [])) yield* openToOthers(join(directory, name))
}

/** Removes the permissions of others on a file or a directory. */
export async function closeToOthers(path: string): Promise<void> {
  const { mode } = await lstat(path)
  await chmod(path, mode & 0o777 & ~OTHERS)
}
