import { FILE_SAMPLES, ITEM_SAMPLES } from '../samples/place-tests.ts'

/** A sample file: its rows, and the items of its tests. */
export type SampleFileSize = { index: number; rowCount: number; items: number[] }
/**
 * Least number of files to merge while more arrive, and their least share of all rows: every merge rewrites the tables
 * of all participants. More small files than these would slow exports down.
 */
const MERGED_MIN = 8
const MERGED_PART = 1 / 10
const SMALL_MAX = 128

/**
 * Chooses the sample files of a study to merge, among those with few rows per item: the smallest files, up to the
 * point at which the largest would be more than twice as large as the others together. So each sample is rewritten
 * only when the study has grown by a factor.
 *
 * @param isQuiet whether nothing has arrived for a while, so that fewer files are worth a merge
 * @returns indexes of the files; [] if a merge is not worth it
 */
export function chooseFiles(files: SampleFileSize[], isQuiet: boolean): number[] {
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

/** Least reduction in reading, as a factor, for which files are merged. */
const GAIN = 1.25

/**
 * Returns whether a merge would leave items in fewer pieces: files may be small per item only because there are many
 * items.
 */
function isBetterMerged(files: SampleFileSize[]): boolean {
  const pieces = files.reduce((sum, { items }) => sum + items.length, 0)
  const rows = files.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const fewest = new Set(files.flatMap(({ items }) => items)).size + Math.floor(rows / FILE_SAMPLES)
  return pieces > fewest * GAIN
}

/** Tests of one item in a sample file: range of rows in the table of tests, both ends inclusive, and number of runs. */
export type Stretch = { file: number; start: number; end: number; runs: number }

/** Number of runs, by factor and by difference above the number of files, that still costs little. */
const RUNS_PART = 1.2
const RUNS_MORE = 16
const SCATTERED_PART = 1 / 4

/**
 * Chooses the sample files whose tests alternate with those of other files in output order, as after simultaneous
 * sessions: an export reads each run of tests separately. Merged files are contiguous, as after an import.
 *
 * @returns indexes of the files; [] if a merge is not worth it
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
    // Merge one part at a time: the old files stay on disk until nobody reads them.
    if (isApart && chosen.size > files * SCATTERED_PART) break
    if (last !== null && !isApart) for (const { file } of [last, stretch]) chosen.add(file)
    if (last === null || stretch.end > last.end) last = stretch
  }
  return [...chosen].sort((a, b) => a - b)
}
