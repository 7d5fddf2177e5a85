import { type Cells, type Column, column, type Rows, same, type Value } from '../../model/columns.ts'

/** An analysis as a table, for all formats except JSON. */
export type AnalysisTable = { columns: Column[]; rows: Rows }
/** A column with a function that returns its value in a row. */
export type AnalysisField<Row> = [column: Column, value: (row: Row) => Value | undefined]

export const textField = (name: string, meaning: string) => column(name, 'string', '', meaning, '', { isGuarded: true })
export const idField = (name: string, meaning: string) => column(name, 'uuid', '', meaning, '')
export const wholeField = (name: string, unit: string, meaning: string) => column(name, 'int', unit, meaning, '')
export const realField = (name: string, unit: string, meaning: string) => column(name, 'number', unit, meaning, '')
export const flagField = (name: string, meaning: string) => column(name, 'boolean', '', meaning, '')

/** Columns of analyses over time. */
export const GROUP = textField('group', 'Filter of the group; empty for all tests')
export const LOCKED_TO = textField('locked_to', 'Name of the events that time is measured from; empty for item onset')
export const BIN_STARTS = realField('bin_starts_at_ms', 'ms', 'Start of the bin, from item onset or the event')

/** Returns a table. @param notes of the first row: version and settings */
export function tableOf<Row>(list: Row[], notes: string, fields: AnalysisField<Row>[]): AnalysisTable {
  const cells = fields.map(([own, value]) => cellsOf(own, list.map(value)))
  const noted: Cells = {
    kind: 'texts',
    dictionary: [notes, ''],
    indexes: Int32Array.from(list, (_, i) => (i === 0 ? 0 : 1)),
  }
  const own = column('notes', 'string', '', 'In the first row: version of Gazette and settings', '', {
    isGuarded: true,
  })
  return { columns: [...fields.map(([each]) => each), own], rows: { n: list.length, cells: [...cells, noted] } }
}

function cellsOf({ type }: Column, values: (Value | undefined)[]): Cells {
  if (values.length === 0) return same(null)
  if (type === 'boolean')
    return {
      kind: 'flags',
      values: Uint8Array.from(values, (value) => (typeof value === 'boolean' ? Number(value) : 2)),
    }
  if (type === 'int' || type === 'number') {
    const numbers = Float64Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN))
    return { kind: type === 'int' ? 'wholes' : 'exact', values: numbers }
  }
  const dictionary = [...new Set(values.filter((value): value is string => typeof value === 'string'))]
  return {
    kind: 'texts',
    dictionary,
    indexes: Int32Array.from(values, (value) => (typeof value === 'string' ? dictionary.indexOf(value) : -1)),
  }
}
