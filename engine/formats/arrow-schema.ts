import type { Column, TupleField } from '../model/columns.ts'
import { isText } from './gather.ts'

/**
 * Encodes a table's columns as an Arrow schema message, for the metadata of a Parquet file: Arrow readers find each
 * field's meaning and unit there. Written by hand, since loading the Arrow library takes longer than making most
 * tables.
 */

/** A field of the schema: `type` is its number in the union of types, with the contents of that type's own table. */
type Field = {
  name: string
  isNullable: boolean
  type: { id: number; slots: Slot[] }
  children: Field[]
  metadata: Record<string, string>
}

/** Numbers of types, versions and precisions, from Arrow's Schema.fbs and Message.fbs. */
const INT = 2
const FLOATING_POINT = 3
const UTF8 = 5
const BOOL = 6
const LIST = 12
const STRUCT = 13
const DOUBLE_PRECISION = 2
const VERSION_5 = 4
const SCHEMA = 1

const text = { id: UTF8, slots: [] }
const flag = { id: BOOL, slots: [] }
const double = { id: FLOATING_POINT, slots: [{ size: 2, value: DOUBLE_PRECISION } as const] }
const list = { id: LIST, slots: [] }
const struct = { id: STRUCT, slots: [] }
const int = (bits: number) => ({ id: INT, slots: [{ size: 4, value: bits } as const, { size: 1, value: 1 } as const] })

/** Encodes columns as an encapsulated Arrow IPC schema message, with the same names and types as the Parquet file. */
export function arrowSchemaMessage(columns: Column[]): Uint8Array {
  const writer = createWriter()
  const root = writer.reserve(4, 4)
  const schema = () => writer.table([null, vector(columns.map((column) => fieldTable(fieldOf(column))))])
  writer.point(root, writer.table([{ size: 2, value: VERSION_5 }, { size: 1, value: SCHEMA }, { table: schema }]))
  const flatbuffer = writer.bytes(8)
  return Buffer.concat([Int32Array.of(-1, flatbuffer.length), flatbuffer].map((part) => Buffer.from(part.buffer)))

  function fieldTable({ name, isNullable, type, children, metadata }: Field): () => number {
    const pairs = Object.entries(metadata).map(
      ([key, value]) =>
        () =>
          writer.table([{ table: () => writer.text(key) }, { table: () => writer.text(value) }]),
    )
    return () =>
      writer.table([
        { table: () => writer.text(name) },
        { size: 1, value: isNullable ? 1 : 0 },
        { size: 1, value: type.id },
        { table: () => writer.table(type.slots) },
        null,
        vector(children.map(fieldTable)),
        vector(pairs),
      ])
  }

  function vector(tables: (() => number)[]): Slot {
    return { table: () => writer.vector(tables) }
  }
}

function fieldOf(column: Column): Field {
  const { name, type, nested, isLarge, meaning, unit } = column
  const about = { name, metadata: described(meaning, unit) }
  const element = { name: 'element', isNullable: false, metadata: {} }
  if (nested === 'texts')
    return { ...about, isNullable: false, type: list, children: [{ ...element, type: text, children: [] }] }
  if (nested)
    return {
      ...about,
      isNullable: false,
      type: list,
      children: [{ ...element, type: struct, children: nested.map(tupleField) }],
    }
  const own = isText(column) ? text : type === 'boolean' ? flag : type === 'int' ? int(isLarge ? 64 : 32) : double
  return { ...about, isNullable: true, type: own, children: [] }
}

function tupleField({ name, type, meaning, unit }: TupleField): Field {
  const own = type === 'boolean' ? flag : double
  return { name, isNullable: true, type: own, children: [], metadata: described(meaning, unit) }
}

function described(description: string, unit: string): Record<string, string> {
  return unit === '' ? { description } : { description, unit }
}

/** A value of a table: a number, or the position of something that is written after the table. */
type Slot = { size: 1 | 2 | 4; value: number } | { table: () => number } | null

/** Creates a FlatBuffer writer that writes from the start: a reference always precedes its target. */
function createWriter() {
  let memory = new DataView(new ArrayBuffer(1 << 14))
  let end = 0
  const reserve = (size: number, align: number): number => {
    const at = Math.ceil(end / align) * align
    end = at + size
    if (end > memory.byteLength) {
      const larger = new Uint8Array(Math.max(end, 2 * memory.byteLength))
      larger.set(new Uint8Array(memory.buffer))
      memory = new DataView(larger.buffer)
    }
    return at
  }
  const point = (from: number, to: number) => memory.setUint32(from, to - from, true)
  const put = (at: number, size: 1 | 2 | 4, value: number) => {
    if (size === 1) memory.setUint8(at, value)
    else if (size === 2) memory.setInt16(at, value, true)
    else memory.setInt32(at, value, true)
  }
  /** Writes a table, preceded by the positions of its slots. */
  const table = (slots: Slot[]): number => {
    const head = reserve(4 + 2 * slots.length, 4)
    const at = reserve(4 + 4 * slots.length, 4)
    put(at, 4, at - head)
    put(head, 2, 4 + 2 * slots.length)
    put(head + 2, 2, 4 + 4 * slots.length)
    for (const [i, slot] of slots.entries()) {
      if (slot === null) continue
      const place = at + 4 + 4 * i
      put(head + 4 + 2 * i, 2, place - at)
      if ('size' in slot) put(place, slot.size, slot.value)
      else point(place, slot.table())
    }
    return at
  }
  const vector = (tables: (() => number)[]): number => {
    const at = reserve(4 + 4 * tables.length, 4)
    put(at, 4, tables.length)
    for (const [i, write] of tables.entries()) point(at + 4 + 4 * i, write())
    return at
  }
  const writeText = (value: string): number => {
    const bytes = Buffer.from(value)
    // A zero byte ends the string.
    const at = reserve(4 + bytes.length + 1, 4)
    put(at, 4, bytes.length)
    new Uint8Array(memory.buffer).set(bytes, at + 4)
    return at
  }
  /** Returns the bytes written so far, padded to a multiple of `align`. */
  const bytes = (align: number) => {
    reserve(0, align)
    return new Uint8Array(memory.buffer.slice(0, end))
  }
  return { reserve, point, table, vector, text: writeText, bytes }
}
