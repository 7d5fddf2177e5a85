import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { ChartAnswer, ChartTask } from './charts/thread.ts'
import { BLOCK_BYTES } from './csv/sink.ts'
import { ServiceError } from './errors.ts'
import { isShortage } from './store/durable.ts'
import type { ShardAnswer, ShardResult, ShardTask } from './thread.ts'

/** The threads that compute shards: one pool per process. */
export type EnginePool = {
  threads: number
  /** Shards that are being computed or wait for a thread. */
  load: () => { running: number; waiting: number }
  /** @throws ServiceError as `engine/thread.ts` names them; any other error is a bug */
  compute: (task: Omit<ShardTask, 'spare'>) => Promise<ShardResult>
  /**
   * Takes a result's block back when nobody looks at its bytes any more, for a thread to write the next one into: fresh memory
   * costs the kernel and V8 a fourth of an export. Anything else than a block's whole memory is let go of.
   */
  reuse: (block: Uint8Array) => void
  /** A shard of a chart's data, as the chart that is asked for has it. @throws as `compute` */
  computeChart: (task: ChartTask) => Promise<unknown>
  /** Lets running shards end, then ends the threads. */
  close: () => Promise<void>
}

const START_AGAIN_MS = 500

const SPARE_MAX = 64

/** @param ready how many threads start at once, and not when they are needed */
export function createPool({ threads, ready = 1 }: { threads: number; ready?: number }): EnginePool {
  // One task per thread, and an abort never kills one: a stop is a flag that the thread looks at.
  const piscina = new Piscina({
    filename: threadFile('./thread.js'),
    name: 'computeShard',
    minThreads: Math.min(threads, ready),
    maxThreads: threads,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: 1,
    maxQueue: Number.POSITIVE_INFINITY,
  })
  // A thread that cannot start for too many open files must not take the process with it, nor let wait for ever what waits for it.
  piscina.on('error', (error) => {
    if (!isShortage(error)) throw error
    setTimeout(() => void piscina.run(null, { name: 'wake' }).catch(() => undefined), START_AGAIN_MS)
  })
  let running = 0
  const spare: ArrayBuffer[] = []
  /** About as many as a shard needs. */
  let blocksPerShard = 0
  return {
    threads,
    load: () => ({ running: running - piscina.queueSize, waiting: piscina.queueSize }),
    compute: async (task) => {
      running++
      try {
        const given = spare.splice(0, blocksPerShard)
        const answer: ShardAnswer = await piscina.run({ ...task, spare: given }, { transferList: given })
        if ('result' in answer) {
          blocksPerShard = answer.result.blocks.length
          return answer.result
        }
        const { code, message, detail } = answer.failed
        throw new ServiceError(code, message, { cause: detail })
      } finally {
        running--
        // Nothing is kept for an export that may never come.
        if (running === 0) spare.length = 0
      }
    },
    reuse: ({ buffer }) => {
      const isWanted = running > 0 && spare.length < SPARE_MAX
      if (!isWanted || buffer.byteLength !== BLOCK_BYTES || spare.includes(buffer as ArrayBuffer)) return
      spare.push(buffer as ArrayBuffer)
    },
    computeChart: async (task) => {
      running++
      try {
        const options = { filename: threadFile('./charts/thread.js'), name: 'computeChart' }
        const answer: ChartAnswer = await piscina.run(task, options)
        if ('part' in answer) return answer.part
        const { code, message, detail } = answer.failed
        throw new ServiceError(code, message, { cause: detail })
      } finally {
        running--
      }
    },
    close: () => piscina.close({ force: false }),
  }
}

/** The compiled thread, also when this file runs as TypeScript, which threads of Node 20 cannot. @param name from engine/ on */
export function threadFile(name: string): string {
  const compiled = fileURLToPath(new URL(name, import.meta.url))
  return existsSync(compiled) ? compiled : fileURLToPath(new URL(`../dist/engine/${name}`, import.meta.url))
}
