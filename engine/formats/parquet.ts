import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js'
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js'
import type { Column, Value } from '../model/columns.ts'
import { append, type ByteSink, flush } from '../text/sink.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { type FlagColumn, type Gathered, gatherColumns, type NumberColumn, type RunColumn } from './gather.ts'
import { type Growing, grownValues } from './growing.ts'
import { type Leaf, leavesOf } from './parquet-schema.ts'
import { snappy } from './snappy.ts'

/** A column chunk of a row group; offsets count from the start of the row group. */
export type Chunk = {
  dictionaryOffset: number | null
  dataOffset: number
  byteCount: number
  /** Size in bytes without compression. */
  plainByteCount: number
  valueCount: number
  encoding: Encoding
  codec: 'SNAPPY' | 'UNCOMPRESSED'
}

type Encoding = 'PLAIN' | 'RLE_DICTIONARY' | 'DELTA_BINARY_PACKED'

/**
 * Encodes a shard's rows as one row group. Each column chunk has one data page, after its dictionary page if it has
 * one.
 */
export function parquetEncoder({ columns, sink }: EncoderOptions): Encoder {
  const gathered = gatherColumns(columns)
  return {
    write: gathered.add,
    end: (): Chunk[] | null => {
      const n = gathered.rows()
      if (n === 0) return null
      let offset = 0
      const chunks = columns.flatMap((column, c) =>
        leavesOf(column).map((leaf, l) => {
          const chunk = writeChunk(sink, leaf, pageOf(gathered.columns[c], column, leaf, l, n), n, offset)
          offset += chunk.byteCount
          return chunk
        }),
      )
      flush(sink)
      gathered.release()
      return chunks
    },
  }
}

/** Contents of a data page, and of the dictionary page before it. */
type Page = {
  valueCount: number
  nullCount: number
  repetitions: Uint8Array | null
  definitions: Uint8Array
  values: Uint8Array
  encoding: Encoding
  dictionary: { count: number; bytes: Uint8Array } | null
}

/** Least saving for which a column chunk is compressed, a tenth: decompression takes time, too. */
const WORTH = 0.9

function writeChunk(sink: ByteSink, leaf: Leaf, page: Page, rowCount: number, offset: number): Chunk {
  const { valueCount, nullCount, repetitions, definitions, values, encoding, dictionary } = page
  const packed = packedOf(values, dictionary?.bytes ?? null)
  let byteCount = 0
  let plainByteCount = 0
  const put = (bytes: Uint8Array, plainBytes = bytes.length) => {
    append(sink, bytes)
    byteCount += bytes.length
    plainByteCount += plainBytes
  }
  if (dictionary && packed.dictionary) {
    const size = {
      uncompressed_page_size: dictionary.bytes.length,
      compressed_page_size: packed.dictionary.length,
    }
    const header = { num_values: dictionary.count, encoding: 'PLAIN' as const }
    put(
      written((writer) =>
        writePageHeader(writer, { type: 'DICTIONARY_PAGE', ...size, dictionary_page_header: header }),
      ),
    )
    put(packed.dictionary, dictionary.bytes.length)
  }
  const dataOffset = offset + byteCount
  const [levels, definitionBytes] = levelBytes(repetitions, definitions, leaf)
  const header = {
    num_values: valueCount,
    num_nulls: nullCount,
    num_rows: rowCount,
    encoding,
    definition_levels_byte_length: definitionBytes,
    repetition_levels_byte_length: levels.length - definitionBytes,
    is_compressed: packed.codec === 'SNAPPY',
  }
  const sizes = {
    uncompressed_page_size: levels.length + values.length,
    compressed_page_size: levels.length + packed.values.length,
  }
  put(written((writer) => writePageHeader(writer, { type: 'DATA_PAGE_V2', ...sizes, data_page_header_v2: header })))
  put(levels)
  put(packed.values, values.length)
  const dictionaryOffset = dictionary ? offset : null
  return { dictionaryOffset, dataOffset, byteCount, plainByteCount, valueCount, encoding, codec: packed.codec }
}

type Packed = { codec: Chunk['codec']; values: Uint8Array; dictionary: Uint8Array | null }

/** Compresses the data and dictionary pages of a column chunk, both or neither: they share a codec. */
function packedOf(values: Uint8Array, dictionary: Uint8Array | null): Packed {
  const packed = { values: snappy(values), dictionary: dictionary && snappy(dictionary) }
  const sizeOf = (each: { values: Uint8Array; dictionary: Uint8Array | null }) =>
    each.values.length + (each.dictionary?.length ?? 0)
  const plain = { values, dictionary }
  if (sizeOf(packed) > WORTH * sizeOf(plain)) return { codec: 'UNCOMPRESSED', ...plain }
  return { codec: 'SNAPPY', ...packed }
}

function written(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter()
  write(writer)
  return writer.getBytes()
}

/** Encodes the repetition levels, if any, then the definition levels, and returns the byte length of the latter. */
function levelBytes(repetitions: Uint8Array | null, definitions: Uint8Array, leaf: Leaf): [Uint8Array, number] {
  let definitionBytes = 0
  const bytes = written((writer) => {
    if (repetitions) writeRleBitPackedHybrid(writer, repetitions, 1)
    definitionBytes = writeRleBitPackedHybrid(writer, definitions, leaf.definitionMax > 1 ? 2 : 1)
  })
  return [bytes, definitionBytes]
}

/** Encodes the page of a leaf. @param index position of the leaf among its column's leaves */
function pageOf(gathered: Gathered, column: Column, leaf: Leaf, index: number, n: number): Page {
  if (gathered.kind === 'lists')
    return listPage(gathered.ends, n, leaf, (levels) => runPage(gathered.texts, levels, leaf))
  if (gathered.kind === 'tuples') {
    const field = gathered.fields[index]
    return listPage(gathered.ends, n, leaf, (levels) => flatPage(field, levels, leaf))
  }
  const levels = { definitions: new Uint8Array(n).fill(1), repetitions: null, elements: null }
  if (gathered.kind === 'runs') return runPage(gathered, levels, leaf)
  return flatPage(gathered, levels, { ...leaf, isInteger: column.type === 'int' })
}

/** `elements`: position of each list element among the levels; null if each value has its own. */
type Levels = { definitions: Uint8Array; repetitions: Uint8Array | null; elements: Int32Array | null }

/** Encodes a page of one list per row: an empty list has one definition level of 0 and no element. */
function listPage(ends: Growing<Int32Array>, n: number, leaf: Leaf, page: (levels: Levels) => Page): Page {
  const count = ends.values[n - 1]
  let empty = 0
  for (let i = 0; i < n; i++) if (ends.values[i] === (i === 0 ? 0 : ends.values[i - 1])) empty++
  const definitions = new Uint8Array(count + empty)
  const repetitions = new Uint8Array(count + empty)
  const elements = new Int32Array(count)
  for (let i = 0, at = 0, e = 0; i < n; i++) {
    if (e === ends.values[i]) at++
    for (let isFirst = true; e < ends.values[i]; isFirst = false) {
      definitions[at] = leaf.definitionMax
      repetitions[at] = isFirst ? 0 : 1
      elements[e++] = at++
    }
  }
  return page({ definitions, repetitions, elements })
}

/** Encodes a page of numbers or flags; missing values only lower their definition level. */
function flatPage({ kind, values, missing }: NumberColumn | FlagColumn, levels: Levels, leaf: Leaf): Page {
  const { definitions, elements } = levels
  const rows = grownValues(missing)
  for (const row of rows) definitions[elements ? elements[row] : row]--
  const kept =
    rows.length === 0
      ? grownValues<Float64Array | Uint8Array>(values)
      : without(grownValues<Float64Array | Uint8Array>(values), rows)
  const page = { ...levels, ...countsOf(levels, rows.length), dictionary: null }
  if (kind === 'flags') return { ...page, encoding: 'PLAIN', values: bitsOf(kept) }
  const typed = numbersOf(kept as Float64Array, leaf)
  if (!(typed instanceof Int32Array)) return { ...page, encoding: 'PLAIN', values: bytesOf(typed) }
  // Times and counts mostly grow in small steps, which take a byte or less each.
  const deltas = written((writer) => deltaBinaryPack(writer, typed, 'INT32'))
  return { ...page, encoding: 'DELTA_BINARY_PACKED', values: deltas }
}

/** Counts the values of a page, and those that are null: the missing ones, and one for each empty list. */
function countsOf({ definitions, elements }: Levels, missing: number): Pick<Page, 'valueCount' | 'nullCount'> {
  const valueCount = definitions.length
  return { valueCount, nullCount: missing + (elements ? valueCount - elements.length : 0) }
}

/** Returns the values of all other rows. @param rows ascending */
function without<T extends Float64Array | Uint8Array>(values: T, rows: Int32Array): T {
  const kept = new (values.constructor as new (length: number) => T)(values.length - rows.length)
  for (let i = 0, next = 0, at = 0; at < kept.length; i++) {
    if (next < rows.length && rows[next] === i) next++
    else kept[at++] = values[i]
  }
  return kept
}

function bitsOf(flags: Float64Array | Uint8Array): Uint8Array {
  const bits = new Uint8Array((flags.length + 7) >> 3)
  for (let i = 0; i < flags.length; i++) bits[i >> 3] |= flags[i] << (i & 7)
  return bits
}

type Numbers = Float64Array | BigInt64Array | Int32Array

/** Converts numbers to the physical type of a leaf. */
function numbersOf(values: Float64Array, { isInteger, isLarge }: Pick<Leaf, 'isInteger' | 'isLarge'>): Numbers {
  if (!isInteger) return values
  return isLarge ? BigInt64Array.from(values, BigInt) : Int32Array.from(values)
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Encodes a page of runs of dictionary indexes. */
function runPage({ dictionary, codes, counts }: RunColumn, levels: Levels, leaf: Leaf): Page {
  const { definitions, elements } = levels
  const width = Math.max(1, Math.ceil(Math.log2(Math.max(2, dictionary.size))))
  let missing = 0
  const values = written((writer) => {
    writer.appendUint8(width)
    for (let run = 0, row = 0; run < codes.length; row += counts.values[run++]) {
      const [code, count] = [codes.values[run], counts.values[run]]
      if (code >= 0) {
        appendRun(writer, code, count, width)
        continue
      }
      missing += count
      for (let i = row; i < row + count; i++) definitions[elements ? elements[i] : i]--
    }
  })
  const page = { count: dictionary.size, bytes: dictionaryBytes([...dictionary.keys()], leaf) }
  return {
    ...levels,
    ...countsOf(levels, missing),
    encoding: 'RLE_DICTIONARY',
    values,
    dictionary: page,
  }
}

function appendRun(writer: ByteWriter, code: number, count: number, width: number): void {
  writer.appendVarInt(count << 1)
  for (let bits = 0; bits < width; bits += 8) writer.appendUint8((code >> bits) & 0xff)
}

function dictionaryBytes(values: Value[], leaf: Leaf): Uint8Array {
  if (!leaf.isText) return bytesOf(numbersOf(Float64Array.from(values as number[]), leaf))
  const texts = values.map((value) => Buffer.from(String(value)))
  const bytes = Buffer.alloc(texts.reduce((sum, { length }) => sum + length + 4, 0))
  let at = 0
  for (const text of texts) {
    at = bytes.writeUInt32LE(text.length, at)
    at += text.copy(bytes, at)
  }
  return bytes
}
