/** A sample file: its rows, and how many items its tests show. */
export type FileFacts = { index: number; rowCount: number; itemCount: number }

/** Rows of one item that a file should hold: a thread reads them at once. */
const ITEM_ROWS_MIN = 65_536
/** Files that are merged at once at least, while more arrive. */
const MERGED_MIN = 8

/**
 * Chooses the sample files of a study to be merged: those whose rows of one item are few, smallest first, as long as each is at most
 * twice as large as those before it together. So every sample is rewritten only as often as the study grows by a multiple.
 *
 * @param isQuiet whether nothing has arrived for a while, so that fewer are worth it
 * @returns their indexes; [] when it is not worth it
 */
export function chooseFiles(files: FileFacts[], isQuiet: boolean): number[] {
  const small = files
    .filter(({ rowCount, itemCount }) => rowCount / itemCount < ITEM_ROWS_MIN)
    .sort((a, b) => a.rowCount - b.rowCount || a.index - b.index)
  let rows = 0
  let n = 0
  for (const { rowCount } of small) {
    if (n > 0 && rowCount > 2 * rows) break
    rows += rowCount
    n++
  }
  return n >= (isQuiet ? 2 : MERGED_MIN) ? small.slice(0, n).map(({ index }) => index) : []
}
