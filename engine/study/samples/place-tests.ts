import type { Place } from '../../snapshot/table-columns.ts'

/** Samples that a file holds at most; a longer test has a file of its own. A thread takes a file whole. */
export const FILE_SAMPLES = 131_072

/** Tests of a file, from one ordinal to another, half-open. */
export type FilePlan = { name: string; start: number; end: number; rowCount: number }

/** Returns the name of a snapshot's sample file by its place among them. */
export function sampleFileName(index: number): string {
  return `samples-${String(index).padStart(5, '0')}.parquet`
}

/** A file of so many samples may end where an item does. */
export const ITEM_SAMPLES = 32_768

/**
 * Cuts tests into files of whole consecutive tests; a test without samples belongs to the file that it stands in.
 *
 * @param itemIds of the tests, where files of one item are better, since others will be merged with them; otherwise
 * none
 */
export function placeTests(rowCounts: number[], itemIds: string[] = []): { places: Place[]; files: FilePlan[] } {
  const files: FilePlan[] = []
  const places = rowCounts.map((rowCount, ordinal): Place => {
    const last = files.at(-1)
    const isItemOver = itemIds[ordinal] !== itemIds[ordinal - 1] && last !== undefined && last.rowCount >= ITEM_SAMPLES
    if (last && !isItemOver && (last.rowCount === 0 || last.rowCount + rowCount <= FILE_SAMPLES)) {
      const firstSample = last.rowCount
      last.end = ordinal + 1
      last.rowCount += rowCount
      return { file: files.length - 1, ordinal, firstSample }
    }
    files.push({ name: sampleFileName(files.length), start: ordinal, end: ordinal + 1, rowCount })
    return { file: files.length - 1, ordinal, firstSample: 0 }
  })
  return { places, files: files.filter(({ rowCount }) => rowCount > 0) }
}
