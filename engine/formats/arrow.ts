import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  Vector,
} from 'apache-arrow'
import type { Column, TupleField } from '../model/columns.ts'
import { append, flush } from '../text/sink.ts'
import { type ArrowBlock, batchMessage } from './arrow-message.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import {
  type FlagColumn,
  type Gathered,
  gatherColumns,
  isFixed,
  isText,
  type Missing,
  type NumberColumn,
  type RunColumn,
} from './gather.ts'
import { type Growing, grow, growingAgain, grownValues, release } from './growing.ts'

/**
 * Returns whether a column gets a dictionary: its texts belong to tests or AOIs and repeat, so the file stores each
 * once.
 */
export function isDictionary(column: Column): boolean {
  return isText(column) && isFixed(column)
}

/**
 * Returns the schema, with each column's meaning and unit, and metadata of the whole file.
 *
 * @param sizeOf number of values in a column's dictionary
 */
export function arrowSchema(
  columns: Column[],
  about: Record<string, string>,
  sizeOf: (name: string) => number,
): Schema {
  const fields = columns.map(
    (column, c) => new Field(column.name, typeOf(column, c, sizeOf), true, describe(column.meaning, column.unit)),
  )
  return new Schema(fields, new Map(Object.entries(about)))
}

/**
 * Target number of rows in a record batch; rows of one test are never split. Twice as many would take 20 MiB more on
 * each thread.
 */
const RECORD_BATCH_ROWS = 1 << 16

/**
 * Writes a shard's rows as uncompressed record batches, which readers can map and read in place; returns their
 * positions in the shard.
 */
export function arrowEncoder({ columns, sink, dictionaries }: EncoderOptions): Encoder {
  const schema = arrowSchema(columns, {}, (name) => dictionaries[name].size)
  const batches: ArrowBlock[] = []
  // Starts with its first row, so each batch returns the released memory that it takes.
  let gathered: ReturnType<typeof gatherColumns> | null = null
  let offset = 0
  function writeBatch(): void {
    if (gathered === null) return
    const n = gathered.rows()
    const children = gathered.columns.map((cells, c) =>
      dataOf(cells, schema.fields[c].type, n, dictionaries[columns[c].name]?.codes),
    )
    const struct = makeData({ type: new Struct(schema.fields), length: n, nullCount: 0, children })
    const { pieces, block } = batchMessage(new RecordBatch(schema, struct))
    for (const piece of pieces) append(sink, piece)
    batches.push({ ...block, offset })
    offset += block.metaDataLength + block.bodyLength
    gathered.release()
    for (const array of expanded.splice(0)) release(array)
    gathered = null
  }
  return {
    write: (rows) => {
      if (rows.n === 0) return
      gathered ??= gatherColumns(columns)
      gathered.add(rows)
      if (gathered.rows() >= RECORD_BATCH_ROWS) writeBatch()
    },
    end: (): ArrowBlock[] | null => {
      writeBatch()
      flush(sink)
      return batches.length > 0 ? batches : null
    },
  }
}

function describe(meaning: string, unit: string): Map<string, string> {
  return new Map([['description', meaning], ...(unit === '' ? [] : [['unit', unit] as [string, string]])])
}

function typeOf(column: Column, index: number, sizeOf: (name: string) => number): DataType {
  const { name, type, nested, isLarge } = column
  if (nested === 'texts') return new List(new Field('item', new Utf8(), true))
  if (nested) return new List(new Field('item', new Struct(nested.map(fieldOf)), true))
  if (isDictionary(column)) return new Dictionary(new Utf8(), indexType(sizeOf(name)), index)
  if (type === 'int') return isLarge ? new Int64() : new Int32()
  if (type === 'number') return new Float64()
  return type === 'boolean' ? new Bool() : new Utf8()
}

/** Returns the smallest index type for this many values: with a wider one, most bytes would be zeros. */
function indexType(size: number): Int8 | Int16 | Int32 {
  if (size <= 2 ** 7) return new Int8()
  return size <= 2 ** 15 ? new Int16() : new Int32()
}

function fieldOf({ name, type, unit, meaning }: TupleField): Field {
  return new Field(name, type === 'boolean' ? new Bool() : new Float64(), true, describe(meaning, unit))
}

function dataOf(column: Gathered, type: DataType, n: number, codes: Map<unknown, number> | undefined): Data {
  if (column.kind === 'numbers') return numberData(column, type, n)
  if (column.kind === 'flags') return flagData(column, n)
  if (column.kind === 'lists') {
    const texts = runData(column.texts, new Utf8(), column.ends.values[n - 1] ?? 0, undefined)
    return makeData({ type: type as List, length: n, nullCount: 0, valueOffsets: offsetsOf(column.ends), child: texts })
  }
  if (column.kind === 'runs') return runData(column, type, n, codes)
  const struct = (type as List).children[0].type as Struct
  const count = column.ends.values[n - 1]
  const children = column.fields.map((field, f) => dataOf(field, struct.children[f].type, count, undefined))
  const child = makeData({ type: struct, length: count, nullCount: 0, children })
  return makeData({ type: type as List, length: n, nullCount: 0, valueOffsets: offsetsOf(column.ends), child })
}

/** Returns the start offset of each list or text, and finally the end of the last. */
export function offsetsOf(ends: Growing<Int32Array>): Int32Array {
  const offsets = new Int32Array(ends.length + 1)
  offsets.set(grownValues(ends), 1)
  return offsets
}

type Indexes = Int8Array | Int16Array | Int32Array

type Valid = { nullCount: number; nullBitmap?: Uint8Array }

/** Returns the validity bitmap, one bit per row, least significant first; omitted if every row has a value. */
function validity(missing: Missing, n: number): Valid {
  if (missing.length === 0) return { nullCount: 0 }
  const bits = new Uint8Array((n + 7) >> 3).fill(255)
  for (const row of grownValues(missing)) bits[row >> 3] &= ~(1 << (row & 7))
  return { nullCount: missing.length, nullBitmap: bits }
}

/** Returns the validity bitmap of runs; a code below 0 means no value. */
function validRuns({ codes, counts }: RunColumn, n: number): Valid {
  let nullCount = 0
  for (let run = 0; run < codes.length; run++) if (codes.values[run] < 0) nullCount += counts.values[run]
  if (nullCount === 0) return { nullCount }
  const bits = new Uint8Array((n + 7) >> 3)
  for (let run = 0, row = 0; run < codes.length; row += counts.values[run++])
    if (codes.values[run] >= 0) setBits(bits, row, row + counts.values[run])
  return { nullCount, nullBitmap: bits }
}

function setBits(bits: Uint8Array, from: number, to: number): void {
  let at = from
  for (; at < to && at & 7; at++) bits[at >> 3] |= 1 << (at & 7)
  if (to - at >= 8) {
    bits.fill(255, at >> 3, to >> 3)
    at = to & ~7
  }
  for (; at < to; at++) bits[at >> 3] |= 1 << (at & 7)
}

function numberData({ values, missing }: NumberColumn, type: DataType, n: number): Data {
  return makeData({ type, length: n, ...validity(missing, n), data: numbersAs(type, grownValues(values)) } as never)
}

function flagData({ values, missing }: FlagColumn, n: number): Data {
  const bits = new Uint8Array((n + 7) >> 3)
  for (let i = 0; i < n; i++) bits[i >> 3] |= values.values[i] << (i & 7)
  return makeData({ type: new Bool(), length: n, ...validity(missing, n), data: bits })
}

function numbersAs(type: DataType, values: Float64Array): Float64Array | Int32Array | BigInt64Array {
  if (type instanceof Int32) return new Int32Array(values)
  return type instanceof Int64 ? BigInt64Array.from(values, BigInt) : values
}

/** Expands runs to rows: indexes into the file's dictionary, numbers, or concatenated texts. */
function runData(column: RunColumn, type: DataType, n: number, codes: Map<unknown, number> | undefined): Data {
  const values = [...column.dictionary.keys()]
  const valid = validRuns(column, n)
  if (type instanceof Dictionary) {
    const places = values.map((value) => codes?.get(value) ?? -1)
    if (places.includes(-1)) throw new Error('a value is not in the dictionary of its column')
    const indexes = expand<Indexes>(column, places, n, type.indices.ArrayType)
    const nothing = new Vector([makeData({ type: type.dictionary, length: 0 })])
    return makeData({ type, length: n, ...valid, data: indexes, dictionary: nothing } as never)
  }
  if (type instanceof Utf8) return textData(values as string[], column, n, valid)
  if (type instanceof Int32)
    return makeData({ type, length: n, ...valid, data: expand(column, values as number[], n, Int32Array) })
  const numbers = expand(column, values as number[], n, Float64Array)
  return makeData({ type, length: n, ...valid, data: numbersAs(type, numbers) } as never)
}

/** Buffers the rows of runs until they are written: a shard has tens of MiB of them. */
const expanded: Growing<Indexes | Float64Array>[] = []

/** Returns the value of each of n rows, 0 for missing ones. */
function expand<T extends Indexes | Float64Array>(
  { codes, counts }: RunColumn,
  values: number[],
  n: number,
  Kind: new (length: number) => T,
): T {
  const array = growingAgain(Kind)
  expanded.push(array)
  const rows = grow(array, n)
  for (let run = 0, row = 0; run < codes.length; row += counts.values[run++])
    rows.fill(codes.values[run] < 0 ? 0 : values[codes.values[run]], row, row + counts.values[run])
  return rows
}

function textData(texts: string[], column: RunColumn, n: number, valid: Valid): Data {
  // Entry 0 is for rows without a value.
  const bytes = [Buffer.alloc(0), ...texts.map((text) => Buffer.from(text))]
  const places = texts.map((_, i) => i + 1)
  const rows = expand(column, places, n, Int32Array)
  const valueOffsets = new Int32Array(rows.length + 1)
  for (let i = 0; i < rows.length; i++) valueOffsets[i + 1] = valueOffsets[i] + bytes[rows[i]].length
  const data = new Uint8Array(valueOffsets[rows.length])
  for (let i = 0; i < rows.length; i++) data.set(bytes[rows[i]], valueOffsets[i])
  return makeData({ type: new Utf8(), length: rows.length, ...valid, valueOffsets, data })
}
