import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { Column } from '../registry.ts'
import { isText, missingIn, parseNumber, type RowWriter } from './rows.ts'

/** A row group ends with the row that reaches either. */
const GROUP_ROWS = 32_768
const GROUP_TEXT_BYTES = 16 << 20

type Value = string | number | bigint | boolean | null

/**
 * Parquet, a row group at a time, so that memory is bounded also where a cell holds a whole test. (DuckDB would write row groups by
 * row count alone, and would have to read each test's cell from CSV in buffers of several times its size.)
 */
export function parquetWriter(columns: Column[], about: Record<string, string>): RowWriter {
  const out = new ByteWriter() as ByteWriter & { index: number }
  const described = columns.map(({ name, unit, meaning }) => ({ name, unit: unit === '' ? null : unit, meaning }))
  const metadata = Object.entries({ ...about, columns: JSON.stringify(described) })
  const writer = new ParquetWriter({
    writer: out,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaElement)],
    kvMetadata: metadata.map(([key, value]) => ({ key, value })),
    createdBy: 'gazette',
  })
  const builders = columns.map(columnBuilder)
  let rows = 0
  let textBytes = 0

  function endGroup(): void {
    const columnData = columns.map(({ name }, c) => ({ name, data: builders[c].take() }))
    writer.write({ columnData, rowGroupSize: rows })
    rows = 0
    textBytes = 0
  }

  const take = () => {
    if (out.index === 0) return []
    const taken = new Uint8Array(out.buffer, 0, out.index).slice()
    out.index = 0
    return [taken]
  }
  return {
    writeRow: (bytes, starts, ends, same) => {
      const repeated = rows === 0 ? 0 : same
      for (let c = 0; c < repeated; c++) builders[c].repeat()
      for (let c = repeated; c < builders.length; c++) textBytes += builders[c].add(bytes, starts[c], ends[c])
      rows++
      if (rows === GROUP_ROWS || textBytes >= GROUP_TEXT_BYTES) endGroup()
    },
    take,
    end: () => {
      if (rows > 0) endGroup()
      writer.finish()
      return take()
    },
  }
}

function schemaElement({ name, type }: Column): SchemaElement {
  const element = { name, repetition_type: 'OPTIONAL' as const }
  if (type === 'int') return { ...element, type: 'INT64' }
  if (type === 'number') return { ...element, type: 'DOUBLE' }
  if (type === 'boolean') return { ...element, type: 'BOOLEAN' }
  return { ...element, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
}

/** Gathers values. `add` returns how many bytes of text it had to make; those of a text that repeats are one string. */
function columnBuilder(column: Column) {
  const isMissing = missingIn(column)
  const parse = parserOf(column)
  const size = isText(column) ? (start: number, end: number) => end - start : () => 0
  let values: Value[] = []
  return {
    add: (bytes: Uint8Array, start: number, end: number): number => {
      values.push(isMissing(bytes, start, end) ? null : parse(bytes, start, end))
      return size(start, end)
    },
    repeat: () => void values.push(values[values.length - 1]),
    take: (): Value[] => {
      const taken = values
      values = []
      return taken
    },
  }
}

function parserOf(column: Column): (bytes: Uint8Array, start: number, end: number) => Value {
  if (isText(column)) return (bytes, start, end) => Buffer.from(bytes.buffer, start, end - start).toString('utf8')
  if (column.type === 'boolean') return (bytes, start) => bytes[start] === TRUE
  if (column.type === 'int') return (bytes, start, end) => BigInt(parseNumber(bytes, start, end))
  return parseNumber
}

const TRUE = 't'.charCodeAt(0)
