import { type Columns, lengthOf, type Numbers, type Reader, type Rectangle, readerOf } from './columns.ts'
import { type Pages, pagedReaders } from './store/table-pages.ts'

/**
 * Rows as columns, which take less than as many objects. What is only needed of a few rows at a time may be left on disk, in pages. A
 * row is a view: an object that knows its place and reads its fields when asked.
 */
export type Table = {
  length: number
  columns: Columns
  pages: Pages | null
  /** What a thread opens the same table with; null when it was not read from a file. */
  source: TableSource | null
}

/** A table's file in memory that threads share, and where its pages lie, if it has any; handed to a thread without a copy. */
export type TableSource = { bytes: SharedArrayBuffer; pagesPath: string | null }

/** Some of a table's rows, by their places in it. */
export type Rows = Int32Array

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
export function tableOf<Row>(
  columns: Columns,
  kinds: Kinds<Row>,
  { pages, source }: Pick<Table, 'pages' | 'source'> = { pages: null, source: null },
): Table {
  const length = Math.max(...Object.values(columns).map(lengthOf))
  for (const name of Object.keys(kinds)) {
    if (columns[name] && lengthOf(columns[name]) !== length) throw new Error(`column ${name} is of unequal length`)
    if (!columns[name] && !pages?.names.includes(name)) throw new Error(`no column ${name}`)
  }
  return { length, columns, pages, source }
}

/** The values of a column of numbers that is in memory, NaN for null. @throws Error when there is no such column */
export function numbersOf({ columns }: Table, name: string): Numbers {
  const column = columns[name]
  if (column?.kind !== 'number') throw new Error(`no column of numbers ${name}`)
  return column.values
}

/** The rows for which that is true, in order. */
export function rowsWhere({ length }: Pick<Table, 'length'>, isWanted: (row: number) => boolean): Rows {
  let n = 0
  for (let row = 0; row < length; row++) if (isWanted(row)) n++
  const rows = new Int32Array(n)
  for (let row = 0, i = 0; i < n; row++) if (isWanted(row)) rows[i++] = row
  return rows
}

/** A view of a row: `row` is its own, all else is read. */
type View = { row: number }

/** Views of all rows. Do not spread them, nor send them to threads: `rowAt` has the fields as an object's own. */
export function rowsOf<Row>(table: Table): Row[] {
  const viewOf = views<Row>(table)
  return Array.from({ length: table.length }, (_, row) => viewOf(row))
}

/** Makes views of a table's rows, of which any field may throw as `pagedReaders` does. */
export function views<Row>(table: Table): (row: number) => Row {
  const fields = readersOf(table).map(([name, read]) => {
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

/** A row as an object with fields of its own. @throws as `pagedReaders` */
export function rowAt<Row>(table: Table, row: number): Row {
  return Object.fromEntries(readersOf(table).map(([name, read]) => [name, read(row)])) as Row
}

const knownReaders = new WeakMap<Table, [string, Reader][]>()

function readersOf(table: Table): [string, Reader][] {
  const known = knownReaders.get(table)
  if (known) return known
  const { columns, pages } = table
  const here = Object.entries(columns).map(([name, column]): [string, Reader] => [name, readerOf(column)])
  const made = pages === null ? here : [...here, ...pagedReaders(pages)]
  knownReaders.set(table, made)
  return made
}
