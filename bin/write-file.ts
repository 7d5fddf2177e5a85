import { open } from 'node:fs/promises'
import type { Block } from '../engine/run.ts'
import { gatherInto } from '../engine/store/block-file.ts'

/**
 * Writes an export's blocks to a new file, synced.
 *
 * @throws what the blocks throw; a system's error when writing fails
 */
export async function writeBlocks(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  const file = await open(path, 'w')
  const gathered = gatherInto(file)
  try {
    for await (const { csv, reuse } of blocks) await gathered.write(csv, reuse)
    await gathered.drain()
    await file.sync()
  } finally {
    await gathered.drain().catch(() => undefined)
    await file.close()
  }
}
