/** A sample file: its rows, and how many items its tests show. */
export type FileFacts = { index: number; rowCount: number; itemCount: number }

/** Rows of one item that a file should hold: a thread reads them at once. */
const ITEM_ROWS_MIN = 65_536
/**
 * While more arrive, so many files are merged at least, and so large a part of all rows: every merge writes the tables of all
 * participants anew. Of more small files than these, exports would suffer.
 */
const MERGED_MIN = 8
const MERGED_PART = 1 / 10
const SMALL_MAX = 128

/**
 * Chooses the sample files of a study to be merged: of those whose rows of one item are few, the smallest, as many that the largest is
 * at most twice as large as the others together. So every sample is rewritten only as often as the study grows by a multiple.
 *
 * @param isQuiet whether nothing has arrived for a while, so that fewer are worth it
 * @returns their indexes; [] when it is not worth it
 */
export function chooseFiles(files: FileFacts[], isQuiet: boolean): number[] {
  const small = files
    .filter(({ rowCount, itemCount }) => rowCount / itemCount < ITEM_ROWS_MIN)
    .sort((a, b) => a.rowCount - b.rowCount || a.index - b.index)
  let before = 0
  let n = 0
  let rows = 0
  for (const [i, { rowCount }] of small.entries()) {
    const fits = rowCount <= 2 * before
    before += rowCount
    if (fits) [n, rows] = [i + 1, before]
  }
  const all = files.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const isWorthIt = n >= MERGED_MIN && (rows >= all * MERGED_PART || small.length >= SMALL_MAX)
  return isWorthIt || (isQuiet && n >= 2) ? small.slice(0, n).map(({ index }) => index) : []
}
