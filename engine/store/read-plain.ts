import { closeSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { threadFile } from '../thread-file.ts'
import { isShortage } from './durable.ts'
import type { PlainRows } from './parse-samples.ts'
import { openPlain, PIECE_BYTES, type PlainFile, pieceCount, readPiece, TAKEN } from './plain-pieces.ts'
import type { PlainAnswer, PlainTask } from './plain-thread.ts'

/** A samples.csv that is being read. */
export type PlainReading = {
  /** Its rows in order, once; null instead of rows ends it, when something is not plain. */
  pieces: () => AsyncGenerator<PlainRows | null>
  /** SHA-256 in hex of the whole file, once all its pieces are taken; null when it was not hashed on the way. */
  sha256: Promise<string | null>
  /** Lets go of it, also before its end. */
  stop: () => Promise<void>
}

/** Starting a thread takes about as long as reading this. */
const HERE_BYTES = 8 * PIECE_BYTES
const BYTES_PER_THREAD = 128 * PIECE_BYTES
/** Pieces that wait to be taken: half their text, in memory. */
const LOOK_AHEAD = 96

/**
 * Begins to read a samples.csv, in threads if it is large.
 *
 * @param bytesPerThread of the file; another thread pays from there on
 * @returns null when its header is not plain, or there is no such file
 */
export function beginReading(path: string, threads: number, bytesPerThread = BYTES_PER_THREAD): PlainReading | null {
  let file: PlainFile | null = null
  try {
    file = openPlain(path)
  } catch {
    // Whoever reads it the long way tells why it cannot be read.
  }
  if (file === null) return null
  return file.sizeBytes <= HERE_BYTES
    ? readHere(file)
    : readAside(file, Math.min(threads, Math.ceil(file.sizeBytes / bytesPerThread)))
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
  return { pieces, sha256: Promise.resolve(null), stop: async () => {} }
}

function readAside(file: PlainFile, threads: number): PlainReading {
  const count = pieceCount(file)
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const read = new Map<number, PlainRows | null>()
  let failed: unknown = null
  let wake = () => {}
  let tellHash: (sha256: string | null) => void
  const sha256 = new Promise<string | null>((resolve) => {
    tellHash = resolve
  })
  const workers = Array.from({ length: threads }, (_, i) => {
    const workerData: PlainTask = { file, shared, lookAhead: LOOK_AHEAD, hashes: i === 0 }
    const worker = new Worker(threadFile('./store/plain-thread.js'), { workerData })
    worker.on('message', (answer: PlainAnswer) => {
      if ('sha256' in answer) return tellHash(answer.sha256)
      read.set(answer.index, answer.rows)
      wake()
    })
    worker.on('error', (error) => {
      failed ??= error
      wake()
    })
    if (i === 0) worker.on('exit', () => tellHash(null))
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
      Atomics.store(shared, TAKEN, index + 1)
      Atomics.notify(shared, TAKEN)
      yield rows
      if (rows === null) return
    }
  }
  return { pieces, sha256, stop: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))) }
}
