import { isMissing } from '../../../isomorphic/missing-text.ts'
import { type Draft, noteDoubt, noteLeft } from '../draft/draft.ts'
import { isOddNumber } from './grouped-numbers.ts'
import type { DecimalMark } from './parse-number.ts'
import { cellNumber, cellText, isEmptyCell, type TableRows } from './table-rows.ts'

/** Count of cells that should be numbers and are not, the first of them, and the first that may be a number. */
export type Unreadable = { count: number; first: string; firstOdd: string }

export function noneUnreadable(): Unreadable {
  return { count: 0, first: '', firstOdd: '' }
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
  keepIfOdd(unreadable, rows, cell)
}

/** Keeps the first cell that may be a number, written in another way, to report it. */
export function keepIfOdd(unreadable: Unreadable, rows: TableRows, cell: number): void {
  if (unreadable.firstOdd === '' && isOddNumber(cellText(rows, cell))) unreadable.firstOdd = cellAsExample(rows, cell)
}

/** Formats a cell and its position. */
export function cellAsExample(rows: TableRows, cell: number): string {
  return `${JSON.stringify(cellText(rows, cell).slice(0, 40))} in line ${rows.line} of ${rows.fileName}`
}

export function noteUnreadable(draft: Draft, fileName: string, { count, first, firstOdd }: Unreadable): void {
  if (firstOdd !== '')
    noteDoubt(
      draft,
      `numbers such as ${firstOdd} cannot be read, and count as lost: write them with the decimal mark of the others, and without marks between thousands or units`,
    )
  noteLeft(draft, 'cells that are not numbers and so count as lost', count, { file: fileName, first })
}
