import { FILE_SAMPLES, ITEM_SAMPLES } from '../samples/place-tests.ts'

/** A sample file: its rows, and the items that its tests show. */
export type FileFacts = { index: number; rowCount: number; items: number[] }
/**
 * While more arrive, so many files are merged at least, and so large a part of all rows: every merge writes the tables
 * of all participants anew. Of more small files than these, exports would suffer.
 */
const MERGED_MIN = 8
const MERGED_PART = 1 / 10
const SMALL_MAX = 128

/**
 * Chooses the sample files of a study to be merged: of those whose rows of one item are few, the smallest, as many that
 * the largest is at most twice as large as the others together. So every sample is rewritten only as often as the study
 * grows by a multiple.
 *
 * @param isQuiet whether nothing has arrived for a while, so that fewer are worth it
 * @returns their indexes; [] when it is not worth it
 */
export function chooseFiles(files: FileFacts[], isQuiet: boolean): number[] {
  const small = files
    .filter(({ rowCount, items }) => rowCount / items.length < ITEM_SAMPLES)
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
  const chosen = small.slice(0, n)
  return (isWorthIt || (isQuiet && n >= 2)) && isBetterMerged(chosen) ? chosen.map(({ index }) => index) : []
}

/** Least reduction in reading, as a factor, that makes files worth merging. */
const GAIN = 1.25

/**
 * Returns whether files would have their items in fewer pieces if they were merged: they may be as small because items
 * are many.
 */
function isBetterMerged(files: FileFacts[]): boolean {
  const pieces = files.reduce((sum, { items }) => sum + items.length, 0)
  const rows = files.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const fewest = new Set(files.flatMap(({ items }) => items)).size + Math.floor(rows / FILE_SAMPLES)
  return pieces > fewest * GAIN
}

/**
 * Tests of one item in a sample file: rows of the table of tests, both included, between which they lie, and in how
 * many runs.
 */
export type Stretch = { file: number; start: number; end: number; runs: number }

/** The cost of a few runs more than there are files is small. */
const RUNS_PART = 1.2
const RUNS_MORE = 16
const SCATTERED_PART = 1 / 4

/**
 * Chooses the sample files whose tests alternate with those of other files in the order of output, as where
 * participants who came at the same time are in different files: an export reads each run of tests by itself. Merged,
 * they are as those of an import.
 *
 * @returns their indexes; [] when it is not worth it
 */
export function chooseScattered(stretches: Stretch[]): number[] {
  const files = new Set(stretches.map(({ file }) => file)).size
  const runs = stretches.reduce((sum, stretch) => sum + stretch.runs, 0)
  const split = stretches.length - files
  if (runs - split <= files * RUNS_PART + RUNS_MORE) return []
  const chosen = new Set<number>()
  let last: Stretch | null = null
  for (const stretch of stretches.toSorted((a, b) => a.start - b.start)) {
    const isApart = last === null || stretch.start > last.end
    // A part at a time: the old files are on the disk until nobody reads them.
    if (isApart && chosen.size > files * SCATTERED_PART) break
    if (last !== null && !isApart) for (const { file } of [last, stretch]) chosen.add(file)
    if (last === null || stretch.end > last.end) last = stretch
  }
  return [...chosen].sort((a, b) => a - b)
}
