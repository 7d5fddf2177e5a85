import { createHash } from 'node:crypto'
import { openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { PlainRows } from './parse-samples.ts'
import { NEXT, type PlainFile, pieceCount, pieceEnd, readPiece, TAKEN } from './plain-pieces.ts'

export type PlainTask = {
  file: PlainFile
  /** At NEXT and TAKEN; the same for all threads. */
  shared: Int32Array
  /** By how many pieces threads may be ahead of who takes them. */
  lookAhead: number
  /** Whether this thread hashes the file, too. */
  hashes: boolean
}
/** `rows` is null for a piece that is not plain; it is the last answer. */
export type PlainAnswer = { index: number; rows: PlainRows | null } | { sha256: string }

const { file, shared, lookAhead, hashes } = workerData as PlainTask
// A thread's files are closed when it is ended.
const descriptor = openSync(file.path, 'r')
const hash = createHash('sha256')
const scratch = new Uint8Array(1 << 18)
let hashed = 0
let isPlain = true

for (let index = next(); isPlain && index < pieceCount(file); index = next()) {
  for (let taken = Atomics.load(shared, TAKEN); index >= taken + lookAhead; taken = Atomics.load(shared, TAKEN))
    Atomics.wait(shared, TAKEN, taken)
  const rows = readPiece(descriptor, file, index)
  answer({ index, rows }, rows ? [rows.memory] : [])
  isPlain = rows !== null
  if (hashes) hashUpTo(pieceEnd(file, index))
}
if (hashes && isPlain) hashUpTo(file.sizeBytes)
if (hashes && isPlain) answer({ sha256: hash.digest('hex') })

function next(): number {
  return Atomics.add(shared, NEXT, 1)
}

function answer(message: PlainAnswer, given: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, given)
}

/** From where it ended last, also over what other threads read. */
function hashUpTo(end: number): void {
  while (hashed < end) {
    const n = readSync(descriptor, scratch, 0, Math.min(scratch.length, end - hashed), hashed)
    if (n === 0) {
      // It has become shorter; whoever reads it again sees what it is now.
      isPlain = false
      return
    }
    hash.update(scratch.subarray(0, n))
    hashed += n
  }
}
