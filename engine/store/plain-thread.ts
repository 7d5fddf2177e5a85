import { openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { PlainRows } from './parse-samples.ts'
import { type PlainFile, pieceCount, readPiece } from './plain-pieces.ts'

export type PlainTask = {
  file: PlainFile
  /** Reads the pieces first, first + step, … */
  first: number
  step: number
  /** How many pieces somebody has taken; it may be only so many more ahead. */
  taken: Int32Array
  lookAhead: number
}
/** `rows` is null for a piece that is not plain; it is the last answer. */
export type PlainAnswer = { index: number; rows: PlainRows | null }

const { file, first, step, taken, lookAhead } = workerData as PlainTask
// A thread's files are closed when it is ended.
const descriptor = openSync(file.path, 'r')

for (let index = first; index < pieceCount(file); index += step) {
  for (let done = Atomics.load(taken, 0); index >= done + lookAhead; done = Atomics.load(taken, 0))
    Atomics.wait(taken, 0, done)
  const rows = readPiece(descriptor, file, index)
  parentPort!.postMessage({ index, rows } satisfies PlainAnswer, rows ? [rows.memory] : [])
  if (rows === null) break
}
