import { setImmediate } from 'node:timers/promises'
import { deflatePiece } from '../text/gzip.ts'
import type { ShardResult } from './pool/export-thread.ts'
import type { RunOptions } from './run-export.ts'
import { bytesOf, createBlocks } from './shards/blocks.ts'
import { computeShard } from './shards/shard.ts'

const NO_BLOCKS = createBlocks(0)

/**
 * Computes shards on the main thread, one after the other: for a process that does nothing else. A thread would first have to load
 * and compile all of it, which takes longer than a small export.
 */
export function poolHere(): RunOptions['pool'] {
  let last: Promise<unknown> = Promise.resolve()
  return {
    threads: 1,
    compute: (task) => {
      const computing = last.then(async (): Promise<ShardResult> => {
        // Lets in what came meanwhile, such as Ctrl-C.
        await setImmediate()
        const blocks: Uint8Array[] = []
        const outcome = await computeShard(task, (finished) => void blocks.push(finished.slice()))
        return { ...outcome, blocks, pieces: task.gzip ? blocks.map(deflatePiece) : [] }
      })
      last = computing.catch(() => undefined)
      return computing
    },
    bytesOf: (block) => bytesOf(block, NO_BLOCKS),
    reuse: () => {},
  }
}
