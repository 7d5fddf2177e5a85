import type { SamplePlace } from '../../snapshot/table-columns.ts'

/** Largest number of samples in a file; a longer test gets a file of its own. A thread reads whole files. */
export const FILE_SAMPLES = 131_072

/** Tests of a file, as a half-open range of ordinals. */
export type SampleFilePlan = { name: string; start: number; end: number; rowCount: number }

/** Returns the name of a snapshot's sample file by its index. */
export function sampleFileName(index: number): string {
  return `samples-${String(index).padStart(5, '0')}.parquet`
}

/** Number of samples from which a file may end at the border between two items. */
export const ITEM_SAMPLES = 32_768

/**
 * Splits tests into files of whole consecutive tests; a test without samples belongs to the file at its position.
 *
 * @param itemIds items of the tests, to prefer files of one item, which merge well later; otherwise none
 */
export function placeTests(
  rowCounts: number[],
  itemIds: string[] = [],
): { places: SamplePlace[]; files: SampleFilePlan[] } {
  const files: SampleFilePlan[] = []
  const places = rowCounts.map((rowCount, ordinal): SamplePlace => {
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
