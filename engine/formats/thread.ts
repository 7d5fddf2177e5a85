import { parentPort, workerData } from 'node:worker_threads'
import type { Plan } from '../plan.ts'
import { type Conversion, type Converted, startConversion } from './convert.ts'

/** What a thread of its own is started with, what it is sent, and what it answers each time. */
export type ConverterData = { plan: Plan; deflate: boolean }
export type ConverterTask = { csv: Uint8Array } | 'end'
export type ConverterAnswer = Converted & { rows: number | null }

/** One conversion, off the main thread: it is told of one block at a time, and answers each. An error ends it. */
const { plan, deflate } = workerData as ConverterData
const conversion: Conversion = startConversion(plan, deflate)

parentPort!.on('message', (task: ConverterTask) => {
  const answer: ConverterAnswer = task === 'end' ? conversion.end() : { ...conversion.push(task.csv), rows: null }
  const given = [...answer.blocks, ...answer.pieces.map(({ deflated }) => deflated)]
  parentPort!.postMessage(
    answer,
    given.map(({ buffer }) => buffer as ArrayBuffer),
  )
  if (task === 'end') parentPort!.close()
})
