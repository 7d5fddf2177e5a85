import { type Column, type Columns, columnOf, type Kind } from '../columns.ts'

/**
 * Columns as bytes, which are on disk as they are in memory: a line of JSON, which tells of each column the arrays that it is made of,
 * and those arrays, one after the other, little-endian. Each begins at a multiple of 8 bytes.
 */
type Header<Notes> = { columns: Listed[]; notes: Notes }
type Listed = { name: string; kind: Kind; arrays: { type: ArrayType; length: number }[] }

const ARRAYS = { Float64Array, Int32Array, Uint32Array, Uint16Array, Uint8Array }
type ArrayType = keyof typeof ARRAYS
type Values = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array

const ALIGNED_BYTES = 8
const LF = 10

/**
 * These fields of rows as bytes.
 *
 * @param notes what is to be known besides; plain JSON
 */
export function columnsToBytes<Row>(rows: Row[], kinds: [keyof Row & string, Kind][], notes: unknown): Buffer {
  const columns: Listed[] = []
  const parts: Uint8Array[] = []
  for (const [name, kind] of kinds) {
    const column = columnOf(
      kind,
      rows.map((row) => row[name]),
    )
    const arrays = arraysOf(column)
    columns.push({
      name,
      kind,
      arrays: arrays.map((array) => ({ type: array.constructor.name as ArrayType, length: array.length })),
    })
    for (const { buffer, byteOffset, byteLength } of arrays)
      parts.push(new Uint8Array(buffer, byteOffset, byteLength), new Uint8Array(aligned(byteLength) - byteLength))
  }
  const json = JSON.stringify({ columns, notes } satisfies Header<unknown>)
  const header = `${json.padEnd(aligned(Buffer.byteLength(json) + 1) - 1)}\n`
  return Buffer.concat([Buffer.from(header), ...parts])
}

/**
 * The columns in such bytes: views of them, not copies.
 *
 * @param bytes from the beginning of their memory
 * @throws Error when they are cut short
 */
export function columnsFrom<Notes>(bytes: Buffer): { columns: Columns; notes: Notes } {
  let offset = bytes.indexOf(LF) + 1
  const header = JSON.parse(bytes.toString('utf8', 0, offset)) as Header<Notes>
  const columns: Columns = {}
  for (const { name, kind, arrays } of header.columns) {
    const views = arrays.map(({ type, length }): Values => {
      const view: Values = new ARRAYS[type](bytes.buffer as ArrayBuffer, offset, length)
      offset += aligned(view.byteLength)
      return view
    })
    columns[name] = columnFrom(kind, views)
  }
  return { columns, notes: header.notes }
}

function arraysOf(column: Column): Values[] {
  return column.kind === 'text' ? [column.ends, column.bytes] : [column.values]
}

function columnFrom(kind: Kind, [first, second]: Values[]): Column {
  return kind === 'text' ? ({ kind, ends: first, bytes: second } as Column) : ({ kind, values: first } as Column)
}

function aligned(byteCount: number): number {
  return Math.ceil(byteCount / ALIGNED_BYTES) * ALIGNED_BYTES
}
