import { createBlockFile } from '../engine/files/block-file.ts'
import type { Block } from '../engine/run/run-export.ts'

/**
 * Writes an export's blocks to a new file, synced.
 *
 * @throws what the blocks throw; a system's error when writing fails
 */
export async function writeBlocks(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  const file = await createBlockFile(path, 'w')
  try {
    for await (const { bytes } of blocks) await file.write(bytes)
    await file.finish()
  } finally {
    await file.abandon()
  }
}
