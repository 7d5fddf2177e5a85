import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Block } from '../../engine/run/run-export.ts'
import { createBlockFile } from '../../engine/storage/files/block-file.ts'
import { isRunning } from '../../engine/storage/files/lock.ts'

/**
 * Writes an export's blocks to a file atomically: writes and syncs a temporary file beside it, then renames it, so no
 * reader sees half of a file. Also removes temporary files that killed processes left for the same name.
 *
 * @throws errors of the blocks; a system's error if writing fails
 */
export async function writeFileWhole(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  await removeLeftovers(path)
  const part = `${path}.${process.pid}.part`
  try {
    await writeBlocks(part, blocks)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

async function writeBlocks(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  const file = await createBlockFile(path, 'w')
  try {
    for await (const { bytes } of blocks) await file.write(bytes)
    await file.finish()
  } finally {
    await file.abandon()
  }
}

async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.`
  for (const name of await readdir(dirname(path))) {
    const [, pid] = (name.startsWith(prefix) && /^(\d{1,10})\.part$/.exec(name.slice(prefix.length))) || []
    if (pid && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true })
  }
}
