import type { DocumentCell } from './contents.ts'

/** @param fits false if a word is broken even in the smallest letters */
type FittedColumns = { sizePt: number; widthsPt: number[]; fits: boolean }

/**
 * Divides the width of a table among its columns: each has room for its longest word, and more the more text it has.
 * Its letters have the first of the sizes in which no word is broken; the last if there is none.
 *
 * @param rows all rows of the table
 * @param widthPt of the table
 * @param paddingPt left and right of the text of a cell, together
 * @param measure width in pt of a text in letters of a size in pt
 * @param sizesPt sizes of letters, from large to small
 */
export function fitColumns(
  rows: DocumentCell[][],
  widthPt: number,
  paddingPt: number,
  measure: (text: string, sizePt: number, isBold: boolean) => number,
  sizesPt: number[],
): FittedColumns {
  const n = Math.max(1, ...rows.map(({ length }) => length))
  for (const sizePt of sizesPt) {
    const least = new Array<number>(n).fill(paddingPt)
    const most = new Array<number>(n).fill(paddingPt)
    for (const row of rows)
      for (const [c, { text, names }] of row.entries()) {
        const wide = (some: string) => measure(some, sizePt, names) + paddingPt
        least[c] = Math.max(least[c], ...text.split(/\s+/).map(wide))
        most[c] = Math.max(most[c], wide(text))
      }
    const needed = sum(least)
    if (needed > widthPt && sizePt !== sizesPt.at(-1)) continue
    return { sizePt, widthsPt: shared(least, most, widthPt), fits: needed <= widthPt }
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

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
