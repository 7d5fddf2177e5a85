import { setImmediate } from 'node:timers/promises'
import { deflatePiece } from '../text/gzip.ts'
import type { KeptPiece, ShardResult } from './pool/export-thread.ts'
import type { RunOptions } from './run-export.ts'
import { bytesOf, createBlocks } from './shards/blocks.ts'
import { computeShard } from './shards/shard.ts'
import { closeSpill, type Held, openSpill } from './shards/spill.ts'

const NO_BLOCKS = createBlocks(0)

/**
 * Computes shards on the main thread, one after the other, for a process that does nothing else. A thread would first
 * have to load and compile the engine, which takes longer than a small export.
 */
export function inlinePool(): RunOptions['pool'] {
  let last: Promise<unknown> = Promise.resolve()
  return {
    threads: 1,
    compute: (task) => {
      const computing = last.then(async (): Promise<ShardResult> => {
        // Lets pending events run, such as Ctrl-C.
        await setImmediate()
        const blocks: Held[] = []
        const pieces: KeptPiece[] = []
        const spill = openSpill(task.tables.directory)
        try {
          const outcome = await computeShard(task, (finished) => {
            blocks.push(spill.keep(finished))
            if (!task.gzip) return
            const piece = deflatePiece(finished)
            pieces.push({ ...piece, deflated: spill.keep(piece.deflated) })
          })
          return { ...outcome, blocks, pieces, spill: spill.file() }
        } catch (error) {
          closeSpill(spill.file())
          throw error
        }
      })
      last = computing.catch(() => undefined)
      return computing
    },
    bytesOf: (block) => bytesOf(block, NO_BLOCKS),
    reuse: () => {},
  }
}
