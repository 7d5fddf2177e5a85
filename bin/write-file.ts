import { open } from 'node:fs/promises'
import type { Block } from '../engine/run.ts'

/**
 * Writes an export's blocks to a new file, synced; one is written while the next is made.
 *
 * @throws what the blocks throw; a system's error when writing fails
 */
export async function writeBlocks(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  const file = await open(path, 'w')
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const { csv, reuse } of blocks) {
      await writing
      writing = file.writeFile(csv).then(reuse)
      // Seen by whoever awaits it next; not an unhandled one until then.
      writing.catch(() => undefined)
    }
    await writing
    await file.sync()
  } finally {
    await writing.catch(() => undefined)
    await file.close()
  }
}
