import {
  AsyncByteQueue,
  Bool,
  type Data,
  type DataType,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow'
import type { Column } from '../registry.ts'
import { isText, missingIn, parseNumber, type RowWriter } from './rows.ts'

/** A batch ends with the row that reaches either. */
const BATCH_ROWS = 65_536
const BATCH_TEXT_BYTES = 4 << 20

/** Arrow IPC in its file form, in batches of bounded size: uncompressed, so that it can be mapped and read in place. */
export function arrowWriter(columns: Column[], about: Record<string, string>): RowWriter {
  const fields = columns.map(({ name, type, unit, meaning }) => {
    const metadata = new Map([['description', meaning], ...(unit === '' ? [] : [['unit', unit] as [string, string]])])
    return new Field(name, arrowType(type), true, metadata)
  })
  const schema = new Schema(fields, new Map(Object.entries(about)))
  const builders = columns.map((column) => (isText(column) ? textColumn(column) : fixedColumn(column)))
  let pieces: Uint8Array[] = []
  // Its own queue has no bound, and no way to take what is there without waiting.
  const queue = Object.assign(new AsyncByteQueue(), { write: (piece: Uint8Array) => void pieces.push(piece) })
  const writer = new RecordBatchFileWriter()
  writer.reset(queue, schema)
  let rows = 0
  let textBytes = 0

  function endBatch(): void {
    const children = builders.map((builder) => builder.take(rows))
    writer.write(new RecordBatch(schema, makeData({ type: new Struct(fields), length: rows, nullCount: 0, children })))
    rows = 0
    textBytes = 0
  }

  const take = () => {
    if (pieces.length === 0) return []
    const taken = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const piece of pieces) {
      taken.set(piece, at)
      at += piece.length
    }
    pieces = []
    return [taken]
  }
  return {
    writeRow: (bytes, starts, ends, same) => {
      const repeated = rows === 0 ? 0 : same
      for (let c = 0; c < repeated; c++) textBytes += builders[c].repeat(rows)
      for (let c = repeated; c < builders.length; c++) textBytes += builders[c].add(rows, bytes, starts[c], ends[c])
      rows++
      if (rows === BATCH_ROWS || textBytes >= BATCH_TEXT_BYTES) endBatch()
    },
    take,
    end: () => {
      if (rows > 0) endBatch()
      writer.finish()
      return take()
    },
  }
}

function arrowType(type: Column['type']): DataType {
  if (type === 'int') return new Int64()
  if (type === 'number') return new Float64()
  return type === 'boolean' ? new Bool() : new Utf8()
}

type Builder = {
  /** Adds a cell, and returns how many bytes of text it holds. */
  add: (row: number, bytes: Uint8Array, start: number, end: number) => number
  /** Adds the cell before once more. */
  repeat: (row: number) => number
  /** The column of so many rows; a new one is begun. */
  take: (rows: number) => Data
}

/** Which rows hold a value: a bit each, lowest first. */
function startValidity() {
  let bits = new Uint8Array(BATCH_ROWS / 8)
  let nullCount = 0
  return {
    set: (row: number, isNull: boolean) => {
      if (isNull) nullCount++
      else bits[row >> 3] |= 1 << (row & 7)
    },
    isNull: (row: number) => (bits[row >> 3] & (1 << (row & 7))) === 0,
    take: (rows: number) => {
      const taken = { nullBitmap: bits.subarray(0, (rows + 7) >> 3), nullCount }
      bits = new Uint8Array(BATCH_ROWS / 8)
      nullCount = 0
      return taken
    },
  }
}

const TRUE = 't'.charCodeAt(0)

function fixedColumn(column: Column): Builder {
  const isMissing = missingIn(column)
  const validity = startValidity()
  let data = new Float64Array(BATCH_ROWS)
  return {
    add: (row, bytes, start, end) => {
      const isNull = isMissing(bytes, start, end)
      validity.set(row, isNull)
      if (isNull) data[row] = 0
      else if (column.type === 'boolean') data[row] = bytes[start] === TRUE ? 1 : 0
      else data[row] = parseNumber(bytes, start, end)
      return 0
    },
    repeat: (row) => {
      validity.set(row, validity.isNull(row - 1))
      data[row] = data[row - 1]
      return 0
    },
    take: (length) => {
      const type = arrowType(column.type)
      const made = makeData({ type, length, ...validity.take(length), data: fixedData(column, data, length) } as never)
      data = new Float64Array(BATCH_ROWS)
      return made
    },
  }
}

function fixedData({ type }: Column, values: Float64Array, n: number): Float64Array | BigInt64Array | Uint8Array {
  if (type === 'number') return values.subarray(0, n)
  if (type === 'int') return wholeNumbers(values, n)
  const bits = new Uint8Array((n + 7) >> 3)
  for (let i = 0; i < n; i++) bits[i >> 3] |= values[i] << (i & 7)
  return bits
}

/** 64 bits as two halves of 32, low one first: making a BigInt of each takes longer than all the rest. */
function wholeNumbers(values: Float64Array, n: number): BigInt64Array {
  const halves = new Int32Array(2 * n)
  for (let i = 0; i < n; i++) {
    halves[2 * i] = values[i]
    halves[2 * i + 1] = Math.floor(values[i] / 2 ** 32)
  }
  return new BigInt64Array(halves.buffer)
}

function textColumn(column: Column): Builder {
  const isMissing = missingIn(column)
  const validity = startValidity()
  let text = new Uint8Array(1 << 16)
  let offsets = new Int32Array(BATCH_ROWS + 1)
  let length = 0
  const reserve = (size: number) => {
    if (length + size <= text.length) return
    const larger = new Uint8Array(Math.max(2 * text.length, length + size))
    larger.set(text.subarray(0, length))
    text = larger
  }
  return {
    add: (row, bytes, start, end) => {
      const isNull = isMissing(bytes, start, end)
      validity.set(row, isNull)
      const size = isNull ? 0 : end - start
      reserve(size)
      if (size > 128) text.set(bytes.subarray(start, end), length)
      else for (let i = 0; i < size; i++) text[length + i] = bytes[start + i]
      length += size
      offsets[row + 1] = length
      return size
    },
    repeat: (row) => {
      validity.set(row, validity.isNull(row - 1))
      const size = length - offsets[row - 1]
      reserve(size)
      text.copyWithin(length, length - size, length)
      length += size
      offsets[row + 1] = length
      return size
    },
    take: (rows) => {
      const valueOffsets = offsets.subarray(0, rows + 1)
      const data = text.subarray(0, length)
      const made = makeData({ type: new Utf8(), length: rows, ...validity.take(rows), valueOffsets, data })
      text = new Uint8Array(Math.min(text.length, BATCH_TEXT_BYTES))
      offsets = new Int32Array(BATCH_ROWS + 1)
      length = 0
      return made
    },
  }
}
