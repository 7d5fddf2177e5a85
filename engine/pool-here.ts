import { setImmediate } from 'node:timers/promises'
import type { RunOptions } from './run.ts'
import { computeShardHere } from './thread.ts'

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
    reuse: () => {},
  }
}
