import { encode } from '../csv/cells.ts'
import { createSink, finish, reserve } from '../csv/sink.ts'
import type { Column } from '../registry.ts'
import { missingIn, type RowWriter } from './rows.ts'

const NULL = encode('null')
const END = encode('}\n')
const QUOTE = 34
const BACKSLASH = 92
const SHORT: Record<number, number> = { 8: 98, 9: 116, 10: 110, 12: 102, 13: 114 }
const HEX = encode('0123456789abcdef')

/** A JSON object a row, with all names, in the order of the columns. JSON cells stand in it as they are. */
export function ndjsonWriter(columns: Column[]): RowWriter {
  const keys = columns.map(({ name }, c) => encode(`${c === 0 ? '{' : ','}${JSON.stringify(name)}:`))
  const keyBytes = keys.reduce((sum, key) => sum + key.length, 0)
  const isMissing = columns.map(missingIn)
  const isBare = columns.map(({ type }) => ['int', 'number', 'boolean', 'json'].includes(type))
  const width = columns.length
  const sink = createSink()
  /** The row before, and where each of its cells ends in it. */
  let last: Uint8Array = new Uint8Array(0)
  const lastEnds = new Int32Array(width)
  return {
    writeRow: (bytes, starts, ends, same) => {
      const kept = same === 0 ? 0 : lastEnds[same - 1]
      let most = kept + keyBytes + END.length
      for (let c = same; c < width; c++) most += isBare[c] ? ends[c] - starts[c] + 4 : 6 * (ends[c] - starts[c]) + 4
      reserve(sink, most)
      const out = sink.bytes
      const start = sink.length
      if (kept > 0) out.set(last.subarray(0, kept), start)
      let at = start + kept
      for (let c = same; c < width; c++) {
        at = copy(keys[c], 0, keys[c].length, out, at)
        if (isMissing[c](bytes, starts[c], ends[c])) at = copy(NULL, 0, NULL.length, out, at)
        else if (isBare[c]) at = copy(bytes, starts[c], ends[c], out, at)
        else at = putText(bytes, starts[c], ends[c], out, at)
        lastEnds[c] = at - start
      }
      sink.length = copy(END, 0, END.length, out, at)
      last = out.subarray(start, sink.length)
    },
    take: () => sink.blocks.splice(0),
    end: () => finish(sink),
  }
}

/** Short pieces, byte by byte: a view costs more. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  if (end - start > 128) to.set(from.subarray(start, end), at)
  else for (let i = start; i < end; i++) to[at + i - start] = from[i]
  return at + end - start
}

/** UTF-8 as a JSON string, escaped as JSON.stringify does it. */
function putText(text: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  to[at++] = QUOTE
  for (let i = start; i < end; i++) {
    const byte = text[i]
    if (byte >= 32 && byte !== QUOTE && byte !== BACKSLASH) to[at++] = byte
    else {
      to[at++] = BACKSLASH
      if (byte >= 32) to[at++] = byte
      else if (SHORT[byte]) to[at++] = SHORT[byte]
      else {
        to.set([117, 48, 48, HEX[byte >> 4], HEX[byte & 15]], at)
        at += 5
      }
    }
  }
  to[at++] = QUOTE
  return at
}
