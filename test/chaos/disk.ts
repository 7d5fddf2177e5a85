import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isCode } from '../../engine/model/system-errors.ts'

const run = promisify(execFile)

/**
 * Gives a directory a small disk of its own, in memory; null where only root may, and this is not root. Returns its
 * undoing.
 */
export async function mountSmallDisk(directory: string, sizeMib: number): Promise<(() => Promise<void>) | null> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', directory])
  } catch {
    return null
  }
  return async () => {
    await run('umount', ['-l', directory])
  }
}

const FILLER = 'filler'
const PIECE = Buffer.alloc(1 << 20)

/** Fills the disk to its last byte, or leaves so many. */
export async function fillDisk(directory: string, freeBytes = 0): Promise<void> {
  const file = await open(join(directory, FILLER), 'a')
  try {
    for (let size = PIECE.length; size >= 512; ) {
      try {
        await file.write(PIECE, 0, size)
      } catch (error) {
        if (!isCode(error, 'ENOSPC')) throw error
        size /= 2
      }
    }
    if (freeBytes > 0) await file.truncate(Math.max(0, (await file.stat()).size - freeBytes))
  } finally {
    await file.close()
  }
}

export async function emptyDisk(directory: string): Promise<void> {
  await rm(join(directory, FILLER), { force: true })
}
