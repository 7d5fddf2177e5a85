import { isMissing } from '../../../isomorphic/missing-text.ts'
import { type Draft, noteLeft } from '../draft/draft.ts'
import type { DecimalMark } from './parse-number.ts'
import { cellNumber, cellText, isEmptyCell, type TableRows } from './table-rows.ts'

/** Count of cells that should be numbers and are not, and the first of them. */
export type Unreadable = { count: number; first: string }

export function noneUnreadable(): Unreadable {
  return { count: 0, first: '' }
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
}

/** Formats a cell and its position. */
export function cellAsExample(rows: TableRows, cell: number): string {
  return `${JSON.stringify(cellText(rows, cell).slice(0, 40))} in line ${rows.line} of ${rows.fileName}`
}

export function noteUnreadable(draft: Draft, fileName: string, { count, first }: Unreadable): void {
  noteLeft(draft, 'cells that are not numbers and so count as lost', count, { file: fileName, first })
}
