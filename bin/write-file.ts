import type { Block } from '../engine/run.ts'
import { createBlockFile } from '../engine/store/block-file.ts'

/**
 * Writes an export's blocks to a new file, synced.
 *
 * @throws what the blocks throw; a system's error when writing fails
 */
export async function writeBlocks(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  const file = await createBlockFile(path, 'w')
  try {
    for await (const { csv } of blocks) await file.write(csv)
    await file.finish()
  } finally {
    await file.abandon()
  }
}
