import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { ChartAnswer, ChartTask } from './charts/thread.ts'
import { ServiceError } from './errors.ts'
import { isShortage } from './store/durable.ts'
import type { ShardAnswer, ShardResult, ShardTask } from './thread.ts'

/** The threads that compute shards: one pool per process. */
export type EnginePool = {
  threads: number
  /** Shards that are being computed or wait for a thread. */
  load: () => { running: number; waiting: number }
  /** @throws ServiceError as `engine/thread.ts` names them; any other error is a bug */
  compute: (task: ShardTask) => Promise<ShardResult>
  /** A shard of a chart's data, as the chart that is asked for has it. @throws as `compute` */
  computeChart: (task: ChartTask) => Promise<unknown>
  /** Lets running shards end, then ends the threads. */
  close: () => Promise<void>
}

const START_AGAIN_MS = 500

export function createPool({ threads }: { threads: number }): EnginePool {
  // One task per thread, and an abort never kills one: a stop is a flag that the thread looks at.
  const piscina = new Piscina({
    filename: threadFile('./thread.js'),
    name: 'computeShard',
    minThreads: 1,
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
  return {
    threads,
    load: () => ({ running: running - piscina.queueSize, waiting: piscina.queueSize }),
    compute: async (task) => {
      running++
      try {
        const answer: ShardAnswer = await piscina.run(task)
        if ('result' in answer) return answer.result
        const { code, message, detail } = answer.failed
        throw new ServiceError(code, message, { cause: detail })
      } finally {
        running--
      }
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
