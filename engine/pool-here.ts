import { setImmediate } from 'node:timers/promises'
import { bytesOf, createBlocks } from './blocks.ts'
import type { RunOptions } from './run.ts'
import { computeShardHere } from './thread.ts'

const NO_BLOCKS = createBlocks(0)

/**
 * Computes shards on the main thread, one after the other: for a process that does nothing else. A thread would first have to load
 * and compile all of it, which takes longer than a small export.
 */
export function poolHere(): RunOptions['pool'] {
  return {
    threads: 1,
    compute: async (task) => {
      // Lets in what came meanwhile, such as Ctrl-C.
      await setImmediate()
      return computeShardHere({ ...task, shared: null })
    },
    bytesOf: (block) => bytesOf(block, NO_BLOCKS),
    reuse: () => {},
  }
}
