import type { Cell } from './contents.ts'

/** Letters from large to small, in pt; a table has the first in which no word is broken. */
const SIZES_PT = [9, 8, 7, 6, 5]

export type Columns = { sizePt: number; widthsPt: number[] }

/**
 * Divides the width of a table among its columns: each has room for its longest word, and more the more text it has.
 *
 * @param rows all rows of the table; a cell over several columns does not count
 * @param widthPt of the table
 * @param paddingPt left and right of the text of a cell, together
 * @param measure width in pt of a text in letters of a size in pt
 */
export function columnsOf(
  rows: Cell[][],
  widthPt: number,
  paddingPt: number,
  measure: (text: string, sizePt: number, isBold: boolean) => number,
): Columns {
  const n = Math.max(1, ...rows.map((row) => row.reduce((sum, { columns }) => sum + columns, 0)))
  for (const sizePt of SIZES_PT) {
    const least = new Array<number>(n).fill(paddingPt)
    const most = new Array<number>(n).fill(paddingPt)
    for (const { cell, column } of placedCells(rows)) {
      if (cell.columns > 1) continue
      const wide = (text: string) => measure(text, sizePt, cell.names) + paddingPt
      least[column] = Math.max(least[column], ...cell.text.split(/\s+/).map(wide))
      most[column] = Math.max(most[column], wide(cell.text))
    }
    const needed = sum(least)
    if (needed > widthPt && sizePt !== SIZES_PT.at(-1)) continue
    return { sizePt, widthsPt: shared(least, most, widthPt) }
  }
  throw new Error('a table has no size')
}

/** Shares a width: of what is left, each column gets by how much more its text could use. */
function shared(least: number[], most: number[], widthPt: number): number[] {
  const left = widthPt - sum(least)
  if (left < 0) return least.map((each) => (each * widthPt) / sum(least))
  // Long texts would otherwise take all of it.
  const wanted = most.map((each, c) => Math.min(each - least[c], widthPt / 2) + 1)
  return least.map((each, c) => each + (left * wanted[c]) / sum(wanted))
}

/** Returns each cell with its column, past cells that span rows. */
export function placedCells(rows: Cell[][]): { cell: Cell; row: number; column: number }[] {
  const taken = new Map<number, number>()
  return rows.flatMap((cells, row) => {
    let column = 0
    return cells.map((cell) => {
      while ((taken.get(column) ?? 0) > row) column++
      const at = column
      for (let c = 0; c < cell.columns; c++) taken.set(at + c, row + cell.rows)
      column = at + cell.columns
      return { cell, row, column: at }
    })
  })
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
