import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type PlainRows, parseSamples } from './parse-samples.ts'
import { NEEDED_SAMPLE_COLUMNS, SAMPLE_COLUMNS } from './sample-columns.ts'
import { sampleLines, TEXT_AT } from './sample-lines.ts'

/** A samples.csv that is cut into pieces, each read by itself. */
export type PlainFile = {
  path: string
  sizeBytes: number
  headerBytes: number
  /** Of each column of the file, its place in SAMPLE_COLUMNS. */
  order: Uint8Array
}

/** With a byte before and a line behind it, as much text as is read at once. */
export const PIECE_BYTES = 1 << 20
/** In what threads share: the next piece that none of them reads yet, and how many have been taken from them. */
export const [NEXT, TAKEN] = [0, 1]
/** More than a plain line has: the last one of a piece ends in the next. */
const LINE_BYTES = 1024
const LF = 10

/** Reads the header; null when it is not plain, which says nothing about whether it is right. */
export function openPlain(path: string): PlainFile | null {
  if (!path.endsWith('.csv')) return null
  const descriptor = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(LINE_BYTES)
    const line = bytes.subarray(0, readSync(descriptor, bytes, 0, LINE_BYTES, 0))
    const headerBytes = line.indexOf(LF) + 1
    const names = line.toString('latin1', 0, headerBytes).trimEnd().split(',')
    const order = names.map((name) => (SAMPLE_COLUMNS as readonly string[]).indexOf(name))
    const isPlain = NEEDED_SAMPLE_COLUMNS.every((name) => names.includes(name)) && !order.includes(-1)
    if (headerBytes === 0 || !isPlain || new Set(names).size < names.length) return null
    return { path, sizeBytes: fstatSync(descriptor).size, headerBytes, order: Uint8Array.from(order) }
  } finally {
    closeSync(descriptor)
  }
}

export function pieceCount({ sizeBytes, headerBytes }: PlainFile): number {
  return Math.ceil((sizeBytes - headerBytes) / PIECE_BYTES)
}

/** Where a piece ends in the file. */
export function pieceEnd({ sizeBytes, headerBytes }: PlainFile, index: number): number {
  return Math.min(sizeBytes, headerBytes + (index + 1) * PIECE_BYTES)
}

/** The rows whose lines begin in a piece; null when any is not plain. */
export function readPiece(
  descriptor: number,
  { sizeBytes, headerBytes, order }: PlainFile,
  index: number,
): PlainRows | null {
  const { bytes } = sampleLines()
  // One byte before the piece tells whether it begins with a line.
  const before = headerBytes + index * PIECE_BYTES - 1
  const wanted = Math.min(1 + PIECE_BYTES + LINE_BYTES, sizeBytes - before)
  if (readSync(descriptor, bytes, TEXT_AT, wanted, before) !== wanted) return null
  const pieceEnd = Math.min(1 + PIECE_BYTES, sizeBytes - before)
  const isLast = before + pieceEnd === sizeBytes
  let text = bytes.subarray(TEXT_AT, TEXT_AT + wanted)
  // The last line may have no end.
  if (isLast && text[wanted - 1] !== LF) {
    text = bytes.subarray(TEXT_AT, TEXT_AT + wanted + 1)
    text[wanted] = LF
  }
  const start = text.indexOf(LF) + 1
  const end = isLast ? text.length : text.indexOf(LF, pieceEnd - 1) + 1
  return start === 0 || end === 0 ? null : parseSamples(TEXT_AT + start, TEXT_AT + end, order)
}
