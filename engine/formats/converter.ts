import { Worker } from 'node:worker_threads'
import type { Plan } from '../plan.ts'
import { threadFile } from '../thread-file.ts'
import { type Converted, startConversion } from './convert.ts'
import type { ConverterAnswer, ConverterData, ConverterTask } from './thread.ts'

/** A conversion, wherever it takes place. One call at a time. */
export type Converter = {
  push: (csv: Uint8Array) => Promise<Converted>
  end: () => Promise<Converted & { rows: number }>
  /** Lets go of it, also before its end. */
  close: () => Promise<void>
}

/** Right here: for what takes less time than starting a thread. */
export function convertHere(plan: Plan, deflate: boolean): Converter {
  const conversion = startConversion(plan, deflate)
  return {
    push: async (csv) => conversion.push(csv),
    end: async () => conversion.end(),
    close: async () => {},
  }
}

/** In a thread of its own, so that whoever asks can answer others meanwhile. */
export function convertAside(plan: Plan, deflate: boolean): Converter {
  const workerData: ConverterData = { plan, deflate }
  const thread = new Worker(threadFile('./formats/thread.js'), { workerData })
  let asking: { resolve: (answer: ConverterAnswer) => void; reject: (error: unknown) => void } | null = null
  let failed: unknown = null
  const fail = (error: unknown) => {
    failed ??= error
    asking?.reject(failed)
  }
  thread.on('message', (answer: ConverterAnswer) => asking?.resolve(answer))
  thread.on('error', fail)
  thread.on('exit', () => fail(new Error('the converting thread has ended')))
  const ask = (task: ConverterTask) =>
    new Promise<ConverterAnswer>((resolve, reject) => {
      if (failed) return reject(failed)
      asking = { resolve, reject }
      thread.postMessage(task)
    })
  return {
    push: (csv) => ask({ csv }),
    end: async () => {
      const answer = await ask('end')
      return { ...answer, rows: answer.rows! }
    },
    close: async () => void (await thread.terminate()),
  }
}
