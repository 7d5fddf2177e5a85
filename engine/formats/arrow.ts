import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  Float64,
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
import { type Block, batchMessage } from './arrow-message.ts'
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
import { type Growing, valuesOf } from './growing.ts'

/** Returns whether the texts of a column belong to tests or AOIs, repeat, and are stored once for the whole file. */
export function isDictionary(column: Column): boolean {
  return isText(column) && isFixed(column)
}

/** Returns the schema, with meaning and unit of each column, and facts about the whole file. */
export function arrowSchema(columns: Column[], about: Record<string, string>): Schema {
  const fields = columns.map(
    (column, c) => new Field(column.name, typeOf(column, c), true, describe(column.meaning, column.unit)),
  )
  return new Schema(fields, new Map(Object.entries(about)))
}

/** Writes a shard's rows as one record batch, uncompressed, so that it can be mapped and read in place. */
export function arrowEncoder({ columns, sink, codes }: EncoderOptions): Encoder {
  const gathered = gatherColumns(columns)
  return {
    write: gathered.add,
    end: (): Block | null => {
      const n = gathered.rows()
      if (n === 0) return null
      const schema = arrowSchema(columns, {})
      const children = columns.map((column, c) =>
        dataOf(gathered.columns[c], schema.fields[c].type, n, codes[column.name]),
      )
      const struct = makeData({ type: new Struct(schema.fields), length: n, nullCount: 0, children })
      const { pieces, block } = batchMessage(new RecordBatch(schema, struct))
      for (const piece of pieces) append(sink, piece)
      flush(sink)
      return block
    },
  }
}

function describe(meaning: string, unit: string): Map<string, string> {
  return new Map([['description', meaning], ...(unit === '' ? [] : [['unit', unit] as [string, string]])])
}

function typeOf(column: Column, index: number): DataType {
  const { type, nested, isLarge } = column
  if (nested === 'texts') return new List(new Field('item', new Utf8(), true))
  if (nested) return new List(new Field('item', new Struct(nested.map(fieldOf)), true))
  if (isDictionary(column)) return new Dictionary(new Utf8(), new Int32(), index)
  if (type === 'int') return isLarge ? new Int64() : new Int32()
  if (type === 'number') return new Float64()
  return type === 'boolean' ? new Bool() : new Utf8()
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

function offsetsOf(ends: Growing<Int32Array>): Int32Array {
  const offsets = new Int32Array(ends.length + 1)
  offsets.set(valuesOf(ends), 1)
  return offsets
}

/** Returns which rows hold a value, a bit each, lowest first; left out where all do. */
function validity(missing: Missing, n: number): { nullCount: number; nullBitmap?: Uint8Array } {
  if (missing.length === 0) return { nullCount: 0 }
  const bits = new Uint8Array((n + 7) >> 3).fill(255)
  for (const row of valuesOf(missing)) bits[row >> 3] &= ~(1 << (row & 7))
  return { nullCount: missing.length, nullBitmap: bits }
}

function numberData({ values, missing }: NumberColumn, type: DataType, n: number): Data {
  return makeData({ type, length: n, ...validity(missing, n), data: numbersAs(type, valuesOf(values)) } as never)
}

function flagData({ values, missing }: FlagColumn, n: number): Data {
  const bits = new Uint8Array((n + 7) >> 3)
  for (let i = 0; i < n; i++) bits[i >> 3] |= values.values[i] << (i & 7)
  return makeData({ type: new Bool(), length: n, ...validity(missing, n), data: bits })
}

function numbersAs(type: DataType, values: Float64Array): Float64Array | Int32Array | BigInt64Array {
  if (type instanceof Int32) return Int32Array.from(values)
  return type instanceof Int64 ? BigInt64Array.from(values, BigInt) : values
}

/** Runs as rows: indexes of the file's dictionary, numbers, or texts one after the other. */
function runData(column: RunColumn, type: DataType, n: number, codes: Map<unknown, number> | undefined): Data {
  const values = [...column.dictionary.keys()]
  const missing: Missing = { values: new Int32Array(0), length: 0 }
  const rows = expand(column, missing)
  if (type instanceof Dictionary) {
    const places = values.map((value) => codes?.get(value) ?? -1)
    if (places.includes(-1)) throw new Error('a value is not in the dictionary of its column')
    const indexes = rows.map((code) => (code < 0 ? 0 : places[code]))
    const nothing = new Vector([makeData({ type: type.dictionary, length: 0 })])
    return makeData({ type, length: n, ...validity(missing, n), data: indexes, dictionary: nothing } as never)
  }
  if (type instanceof Utf8) return textData(values as string[], rows, validity(missing, n))
  const numbers = Float64Array.from(rows, (code) => (code < 0 ? 0 : (values[code] as number)))
  return makeData({ type, length: n, ...validity(missing, n), data: numbersAs(type, numbers) } as never)
}

/** Returns the code of each row; rows without a value go into `missing`. */
function expand({ codes, counts }: RunColumn, missing: Missing): Int32Array {
  const total = valuesOf(counts).reduce((sum, count) => sum + count, 0)
  const rows = new Int32Array(total)
  const nulls: number[] = []
  for (let run = 0, row = 0; run < codes.length; row += counts.values[run++]) {
    rows.fill(codes.values[run], row, row + counts.values[run])
    if (codes.values[run] < 0) for (let i = 0; i < counts.values[run]; i++) nulls.push(row + i)
  }
  missing.values = Int32Array.from(nulls)
  missing.length = nulls.length
  return rows
}

function textData(texts: string[], rows: Int32Array, valid: ReturnType<typeof validity>): Data {
  const bytes = texts.map((text) => Buffer.from(text))
  const valueOffsets = new Int32Array(rows.length + 1)
  for (let i = 0; i < rows.length; i++)
    valueOffsets[i + 1] = valueOffsets[i] + (rows[i] < 0 ? 0 : bytes[rows[i]].length)
  const data = new Uint8Array(valueOffsets[rows.length])
  for (let i = 0; i < rows.length; i++) if (rows[i] >= 0) data.set(bytes[rows[i]], valueOffsets[i])
  return makeData({ type: new Utf8(), length: rows.length, ...valid, valueOffsets, data })
}
