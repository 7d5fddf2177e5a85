import { isMissing } from '../../../isomorphic/missing-text.ts'
import { type Draft, noteDoubt, noteLeft } from '../draft/draft.ts'
import { hasGroups } from './grouped-numbers.ts'
import type { DecimalMark } from './parse-number.ts'
import { cellNumber, cellText, isEmptyCell, type TableRows } from './table-rows.ts'

/** Count of cells that should be numbers and are not, the first of them, and the first that groups its thousands. */
export type Unreadable = { count: number; first: string; firstGrouped: string }

export function noneUnreadable(): Unreadable {
  return { count: 0, first: '', firstGrouped: '' }
}

/** Parses a cell as a number, NaN if empty; text that is not a number is counted. */
export function measured(rows: TableRows, cell: number, decimalMark: DecimalMark, unreadable: Unreadable): number {
  const value = cellNumber(rows, cell, decimalMark)
  if (Number.isNaN(value)) countUnreadable(unreadable, rows, cell)
  return value
}

function countUnreadable(unreadable: Unreadable, rows: TableRows, cell: number): void {
  if (isEmptyCell(rows, cell)) return
  const text = cellText(rows, cell)
  if (isMissing(text)) return
  if (unreadable.count++ === 0) unreadable.first = cellAsExample(rows, cell)
  noteIfGrouped(unreadable, rows, cell)
}

/** Keeps the first cell whose number groups its thousands, to report it. */
export function noteIfGrouped(unreadable: Unreadable, rows: TableRows, cell: number): void {
  if (unreadable.firstGrouped === '' && hasGroups(cellText(rows, cell)))
    unreadable.firstGrouped = cellAsExample(rows, cell)
}

/** Formats a cell and its position. */
export function cellAsExample(rows: TableRows, cell: number): string {
  return `${JSON.stringify(cellText(rows, cell).slice(0, 40))} in line ${rows.line} of ${rows.fileName}`
}

export function noteUnreadable(draft: Draft, fileName: string, { count, first, firstGrouped }: Unreadable): void {
  if (firstGrouped !== '')
    noteDoubt(
      draft,
      `numbers such as ${firstGrouped} have marks between their thousands, and count as lost: write them without, and import again`,
    )
  noteLeft(draft, 'cells that are not numbers and so count as lost', count, { file: fileName, first })
}
