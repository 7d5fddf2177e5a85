import { array, assert, boolean, constant, double, integer, oneof, property, record, string } from 'fast-check'
import { expect, test } from 'vitest'
import { columnOf } from '../../engine/columns.ts'
import { type Kinds, rowAt, rowsOf, type Table, tableOf, views } from '../../engine/table.ts'

type Row = {
  name: string
  size: number | null
  isSeen: boolean
  place: { leftPx: number; topPx: number; widthPx: number; heightPx: number } | null
}
const KINDS: Kinds<Row> = { name: 'text', size: 'number', isSeen: 'boolean', place: 'rectangle' }

function tableFrom(rows: Row[]): Table {
  const columns = Object.entries(KINDS).map(([name, kind]) => [
    name,
    columnOf(
      kind,
      rows.map((row) => row[name as keyof Row]),
    ),
  ])
  return tableOf<Row>(Object.fromEntries(columns), KINDS)
}

const number = double({ noNaN: true })
const row = record<Row>({
  name: oneof(constant(''), string({ unit: 'grapheme', maxLength: 20 })),
  size: oneof(constant(null), integer(), number),
  isSeen: boolean(),
  place: oneof(constant(null), record({ leftPx: number, topPx: number, widthPx: number, heightPx: number })),
})

test('rows come out of a table as they went in, as views and as objects', () => {
  assert(
    property(array(row, { maxLength: 30 }), (rows) => {
      const table = tableFrom(rows)
      expect(table.length).toBe(rows.length)
      expect(rows.map((_, i) => rowAt<Row>(table, i))).toEqual(rows)
      const seen = rowsOf<Row>(table)
      expect(seen.map(({ name, size, isSeen, place }) => ({ name, size, isSeen, place }))).toEqual(rows)
      expect(rows.map((_, i) => views<Row>(table)(i).name)).toEqual(rows.map(({ name }) => name))
    }),
  )
})

test('columns of unequal length, or none, make no table', () => {
  const { columns } = tableFrom([{ name: 'a', size: 1, isSeen: false, place: null }])
  for (const kind of ['number', 'text', 'boolean', 'rectangle'] as const) {
    const name = Object.entries(KINDS).find(([, each]) => each === kind)![0]
    expect(() => tableOf<Row>({ ...columns, [name]: columnOf(kind, []) }, KINDS)).toThrow(
      `${name} is of unequal length`,
    )
  }
  const { name: _, ...rest } = columns
  expect(() => tableOf<Row>(rest, KINDS)).toThrow('no column name')
})
