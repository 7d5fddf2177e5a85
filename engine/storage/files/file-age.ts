import { utimes } from 'node:fs/promises'

/**
 * Ages of files. The kernel stamps files by the clock of the machine, so they are compared with this clock and no
 * other.
 *
 * @param changedMs as the file system says it, in ms since the epoch
 */
export function fileAgeMs(changedMs: number): number {
  return Date.now() - changedMs
}

/** Sets the times of a file to now. */
export async function touchFile(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now)
}
