/**
 * Rows as columns in memory that threads share: a thread is handed a table without a copy, and a table takes less than as many
 * objects. A row is a view: an object that knows its place and reads its fields from the columns when asked.
 */
export type Table = { length: number; columns: Record<string, Column> }

/** Some of a table's rows, by their places in it. */
export type Rows = Int32Array

export type Kind = Column['kind']
export type Column =
  /** Whole numbers, none of them null, may be of 32 bits. NaN for null. */
  | { kind: 'number'; values: Numbers }
  | { kind: 'boolean'; values: Uint8Array }
  /** UTF-8; text i ends at ends[i], and begins where the one before ends. */
  | { kind: 'text'; ends: Uint32Array; bytes: Uint8Array }
  /** leftPx, topPx, widthPx and heightPx of each; NaN for null. */
  | { kind: 'rectangle'; values: Float64Array }

export type Numbers = Float64Array | Int32Array

type Rectangle = { leftPx: number; topPx: number; widthPx: number; heightPx: number }

/** The kind of each field, as its type demands. */
export type Kinds<Row> = {
  [Name in keyof Row]: [Row[Name]] extends [string]
    ? 'text'
    : [Row[Name]] extends [boolean]
      ? 'boolean'
      : [Row[Name]] extends [number | null]
        ? 'number'
        : [Row[Name]] extends [Rectangle | null]
          ? 'rectangle'
          : never
}

/** @throws Error when columns are of unequal length, or one is missing */
export function tableOf<Row>(columns: Record<string, Column>, kinds: Kinds<Row>): Table {
  const lengths = Object.keys(kinds).map((name) => lengthOf(columns[name]))
  if (lengths.some((length) => length !== lengths[0])) throw new Error('columns of unequal length')
  return { length: lengths[0], columns }
}

function lengthOf(column: Column): number {
  if (column.kind === 'text') return column.ends.length
  return column.kind === 'rectangle' ? column.values.length / 4 : column.values.length
}

/** @param values of that kind, null where there is none */
export function columnOf(kind: Kind, values: unknown[]): Column {
  const n = values.length
  if (kind === 'text') return textColumn(values as string[])
  if (kind === 'boolean') {
    const column = new Uint8Array(new SharedArrayBuffer(n))
    for (let i = 0; i < n; i++) column[i] = values[i] ? 1 : 0
    return { kind, values: column }
  }
  if (kind === 'number') {
    const isWhole = values.every((value) => Object.is(value, (value as number) | 0))
    const column = isWhole
      ? new Int32Array(new SharedArrayBuffer(4 * n))
      : new Float64Array(new SharedArrayBuffer(8 * n))
    for (let i = 0; i < n; i++) column[i] = (values[i] as number | null) ?? Number.NaN
    return { kind, values: column }
  }
  const column = new Float64Array(new SharedArrayBuffer(32 * n))
  for (let i = 0; i < n; i++) {
    const rectangle = values[i] as Rectangle | null
    column[4 * i] = rectangle?.leftPx ?? Number.NaN
    column[4 * i + 1] = rectangle?.topPx ?? Number.NaN
    column[4 * i + 2] = rectangle?.widthPx ?? Number.NaN
    column[4 * i + 3] = rectangle?.heightPx ?? Number.NaN
  }
  return { kind, values: column }
}

function textColumn(texts: string[]): Column {
  const ends = new Uint32Array(new SharedArrayBuffer(4 * texts.length))
  let byteCount = 0
  for (let i = 0; i < texts.length; i++) {
    byteCount += Buffer.byteLength(texts[i])
    ends[i] = byteCount
  }
  const bytes = Buffer.from(new SharedArrayBuffer(byteCount))
  for (let i = 0; i < texts.length; i++) bytes.write(texts[i], i === 0 ? 0 : ends[i - 1])
  return { kind: 'text', ends, bytes: new Uint8Array(bytes.buffer) }
}

/** The values of a column of numbers, NaN for null. @throws Error when there is no such column */
export function numbersOf({ columns }: Table, name: string): Numbers {
  const column = columns[name]
  if (column?.kind !== 'number') throw new Error(`no column of numbers ${name}`)
  return column.values
}

/** The rows for which that is true, in order. */
export function rowsWhere({ length }: Pick<Table, 'length'>, isWanted: (row: number) => boolean): Rows {
  const rows = new Int32Array(length)
  let n = 0
  for (let row = 0; row < length; row++) if (isWanted(row)) rows[n++] = row
  return rows.slice(0, n)
}

/** A view of a row: `row` is its own, all else is read. */
type View = { row: number }

/** Views of all rows. Do not spread them, nor send them to threads: `rowAt` has the fields as an object's own. */
export function rowsOf<Row>(table: Table): Row[] {
  const viewOf = views<Row>(table)
  return Array.from({ length: table.length }, (_, row) => viewOf(row))
}

/** Makes views of a table's rows. */
export function views<Row>({ columns }: Table): (row: number) => Row {
  const fields = Object.entries(columns).map(([name, column]) => {
    const read = reader(column)
    return [
      name,
      {
        get: function (this: View) {
          return read(this.row)
        },
      },
    ] as const
  })
  const prototype = Object.create(null, Object.fromEntries(fields))
  return (row) => {
    const view = Object.create(prototype)
    view.row = row
    return view
  }
}

/** A row as an object with fields of its own. */
export function rowAt<Row>({ columns }: Table, row: number): Row {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, reader(column)(row)])) as Row
}

function reader(column: Column): (row: number) => unknown {
  if (column.kind === 'text') {
    const { ends, bytes } = column
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return (row) => {
      const start = row === 0 ? 0 : ends[row - 1]
      return ends[row] === start ? '' : text.toString('utf8', start, ends[row])
    }
  }
  const { values } = column
  if (column.kind === 'boolean') return (row) => values[row] === 1
  if (column.kind === 'number') return (row) => (Number.isNaN(values[row]) ? null : values[row])
  return (row) => {
    const [leftPx, topPx, widthPx, heightPx] = values.subarray(4 * row, 4 * row + 4)
    return Number.isNaN(leftPx) ? null : ({ leftPx, topPx, widthPx, heightPx } satisfies Rectangle)
  }
}
