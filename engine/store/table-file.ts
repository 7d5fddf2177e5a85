import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Column, columnOf, type Kind, type Kinds, type Table, tableOf } from '../table.ts'

/**
 * A table's columns on disk as they are in memory, so that reading one is reading its bytes: a line of JSON, which tells of each column
 * the arrays that it is made of, and those arrays, one after the other, little-endian. Each begins at a multiple of 8 bytes.
 */
type Listed = { name: string; kind: Kind; arrays: { type: ArrayType; length: number }[] }

const ARRAYS = { Float64Array, Int32Array, Uint32Array, Uint8Array }
type ArrayType = keyof typeof ARRAYS
type Values = Float64Array | Int32Array | Uint32Array | Uint8Array

const ALIGNED_BYTES = 8
const LF = 10

/** From disk into memory at once, and through the hash while others are answered. */
const PIECE_BYTES = 1 << 20

/** The table of such rows as a file. */
export function tableToBytes<Row>(rows: Row[], kinds: Kinds<Row>): Buffer {
  const listed: Listed[] = []
  const parts: Uint8Array[] = []
  for (const [name, kind] of Object.entries(kinds) as [keyof Row & string, Kind][]) {
    const column = columnOf(
      kind,
      rows.map((row) => row[name]),
    )
    const arrays = arraysOf(column)
    listed.push({
      name,
      kind,
      arrays: arrays.map((array) => ({ type: array.constructor.name as ArrayType, length: array.length })),
    })
    for (const { buffer, byteOffset, byteLength } of arrays)
      parts.push(new Uint8Array(buffer, byteOffset, byteLength), new Uint8Array(aligned(byteLength) - byteLength))
  }
  const json = JSON.stringify(listed)
  const header = `${json.padEnd(aligned(Buffer.byteLength(json) + 1) - 1)}\n`
  return Buffer.concat([Buffer.from(header), ...parts])
}

/**
 * Reads such a file into memory that threads share.
 *
 * @param sha256 of the file, in hex
 * @throws Error when the file has changed, or is of other columns; a system's error
 */
export async function readTableFile<Row>(path: string, sha256: string, kinds: Kinds<Row>): Promise<Table> {
  const bytes = await readShared(path, sha256)
  let offset = bytes.indexOf(LF) + 1
  const listed = JSON.parse(bytes.toString('utf8', 0, offset)) as Listed[]
  const columns: Record<string, Column> = {}
  for (const { name, kind, arrays } of listed) {
    const views = arrays.map(({ type, length }): Values => {
      const view: Values = new ARRAYS[type](bytes.buffer as ArrayBuffer, offset, length)
      offset += aligned(view.byteLength)
      return view
    })
    columns[name] = columnFrom(kind, views)
  }
  return tableOf(columns, kinds)
}

async function readShared(path: string, sha256: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.from(new SharedArrayBuffer(size))
    const hash = createHash('sha256')
    for (let done = 0; done < size; ) {
      const { bytesRead } = await file.read(bytes, done, Math.min(PIECE_BYTES, size - done), done)
      if (bytesRead === 0) break
      hash.update(bytes.subarray(done, done + bytesRead))
      done += bytesRead
    }
    if (hash.digest('hex') !== sha256) throw new Error(`${basename(path)} has changed`)
    return bytes
  } finally {
    await file.close()
  }
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
