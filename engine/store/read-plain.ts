import { closeSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { threadFile } from '../thread-file.ts'
import { isShortage } from './durable.ts'
import type { PlainRows } from './parse-samples.ts'
import { openPlain, PIECE_BYTES, type PlainFile, pieceCount, readPiece } from './plain-pieces.ts'
import type { PlainAnswer, PlainTask } from './plain-thread.ts'

/** A samples.csv that is being read. */
export type PlainReading = {
  /** Its rows in order, once; null instead of rows ends it, when something is not plain. */
  pieces: () => AsyncGenerator<PlainRows | null>
  /** Lets go of it, also before its end. */
  stop: () => Promise<void>
}

/** Starting a thread takes about as long as reading this. */
const HERE_BYTES = 8 * PIECE_BYTES
const BYTES_PER_THREAD = 128 * PIECE_BYTES
/** Pieces that wait to be taken: half their text, in memory. */
const LOOK_AHEAD = 96

/** Begins to read a samples.csv, in threads if it is large; null when its header is not plain, or there is no such file. */
export function beginReading(path: string, threads: number): PlainReading | null {
  let file: PlainFile | null = null
  try {
    file = openPlain(path)
  } catch {
    // Whoever reads it the long way tells why it cannot be read.
  }
  if (file === null) return null
  return file.sizeBytes <= HERE_BYTES ? readHere(file) : readAside(file, threads)
}

function readHere(file: PlainFile): PlainReading {
  async function* pieces() {
    const descriptor = openSync(file.path, 'r')
    try {
      for (let index = 0; index < pieceCount(file); index++) yield readPiece(descriptor, file, index)
    } finally {
      closeSync(descriptor)
    }
  }
  return { pieces, stop: async () => {} }
}

function readAside(file: PlainFile, threads: number): PlainReading {
  const count = pieceCount(file)
  const step = Math.min(threads, Math.ceil(file.sizeBytes / BYTES_PER_THREAD))
  const taken = new Int32Array(new SharedArrayBuffer(4))
  const read = new Map<number, PlainRows | null>()
  let failed: unknown = null
  let wake = () => {}
  const workers = Array.from({ length: step }, (_, first) => {
    const workerData: PlainTask = { file, first, step, taken, lookAhead: LOOK_AHEAD }
    const worker = new Worker(threadFile('./store/plain-thread.js'), { workerData })
    worker.on('message', ({ index, rows }: PlainAnswer) => {
      read.set(index, rows)
      wake()
    })
    worker.on('error', (error) => {
      failed ??= error
      wake()
    })
    return worker
  })
  async function* pieces() {
    for (let index = 0; index < count; index++) {
      while (!read.has(index) && failed === null) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      // A thread that has no memory to start in is no fault of the file.
      if (failed !== null && !isShortage(failed)) throw failed
      const rows = read.get(index) ?? null
      read.delete(index)
      Atomics.store(taken, 0, index + 1)
      Atomics.notify(taken, 0)
      yield rows
      if (rows === null) return
    }
  }
  return { pieces, stop: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))) }
}
