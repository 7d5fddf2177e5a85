import type { Mapping } from '../reader/mapping.ts'
import { columnIn } from '../text/foreign-table.ts'
import { isEmptyCell, repeatedText, type TableRows } from '../text/table-rows.ts'

/** Returns whether a row of a table is a sample, as the column of the mapping under `rows` says. */
export function openRowFilter(header: string[], only: Mapping['rows']): (rows: TableRows) => boolean {
  if (only === null) return () => true
  const { values } = only
  const cell = columnIn(header, only.column)
  if (values === null) return (rows) => !isEmptyCell(rows, cell)
  const text = repeatedText(cell)
  return (rows) => values.includes(text(rows))
}
