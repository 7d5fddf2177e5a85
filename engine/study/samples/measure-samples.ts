import { join } from 'node:path'
import type { Samples } from '../../compute/gaze.ts'
import { type GazeSums, measureGaze } from '../../compute/grade.ts'
import { readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import { ServiceError } from '../../model/errors.ts'
import { EYE_COLUMNS, type EyeColumn } from '../../model/eye-columns.ts'
import type { SampleFile } from '../../model/study.ts'
import { type KeptArrays, NO_SAMPLES, readSamples } from '../../snapshot/read-samples.ts'
import type { GivenTest, SampleMeasures } from '../../snapshot/table-columns.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import type { SampleFilePlan } from './place-tests.ts'

/** A file's samples besides gaze, and the measures of each test, by ordinal. */
type FileContents = Pick<SampleFile, 'hasScroll' | 'hasMouse' | 'clickCount' | 'eyes'> & {
  found: Map<number, SampleMeasures>
}

/**
 * Reads the times, gaze and clicks of a file back, which also verifies its row count, and measures its tests.
 *
 * @param eyes eye columns of the file, possibly without values
 * @param kept arrays to read into, reused for the next file
 */
export async function measureFile(
  directory: string,
  facts: Omit<SampleFile, 'hasScroll' | 'hasMouse' | 'clickCount'>,
  { start, end, rowCount }: SampleFilePlan,
  eyes: EyeColumn[],
  tests: GivenTest[],
  rowCounts: number[],
  kept: KeptArrays,
): Promise<FileContents> {
  const file = { ...facts, hasScroll: true, hasMouse: true, clickCount: 1 }
  const place = { directory, file, firstOrdinal: start, lastOrdinal: end - 1, fromRow: 0, rowCount }
  const samples = await readSamples(place, ['gazeXPx', 'gazeYPx', 'isClick'], kept)
  const found = new Map<number, SampleMeasures>()
  let row = 0
  for (let ordinal = start; ordinal < end; ordinal++) {
    const sampleCount = rowCounts[ordinal]
    if (sampleCount === 0) continue
    const [from, to] = [row, row + sampleCount]
    found.set(ordinal, measureTest(tests[ordinal], samples, from, to))
    row = to
  }
  if (row !== rowCount) throw new ServiceError('corrupt', `${facts.name} has ${rowCount} rows, its tests ${row}`)
  const [[hasScroll, hasMouse]] = await queryRows(studiesDirectoryOf(directory), HAS, {
    path: join(directory, facts.name),
  })
  return {
    found,
    hasScroll: hasScroll === true,
    hasMouse: hasMouse === true,
    clickCount: countTrue(samples.isClick, 0, rowCount),
    ...(await filledEyes(directory, facts.name, eyes)),
  }
}

/** Returns a file's eye columns that have a value; nothing if none has. */
async function filledEyes(directory: string, name: string, eyes: EyeColumn[]): Promise<Pick<SampleFile, 'eyes'>> {
  if (eyes.length === 0) return {}
  const counts = eyes.map((column) => `count(${EYE_COLUMNS[column]})`).join(', ')
  const path = join(directory, name)
  const [row] = await queryRows(studiesDirectoryOf(directory), `SELECT ${counts} FROM ${readParquet()}`, { path })
  const filled = eyes.filter((_, i) => Number(row[i]) > 0)
  return filled.length > 0 ? { eyes: filled } : {}
}

/** Omitted from readSamples: unused columns would take as long to read as the others. */
const HAS = `SELECT EXISTS (FROM ${readParquet()} WHERE scroll_y_px <> 0), EXISTS (FROM ${readParquet()} WHERE mouse_x_px IS NOT NULL)`

/** Sample columns of a test that are measured. */
type MeasuredSamples = Pick<Samples, 'tUs' | 'gazeXPx' | 'gazeYPx' | 'isClick'>

/** Measures the samples of a test. @param from, to range of its samples in the arrays, half-open */
export function measureTest(test: GivenTest, samples: MeasuredSamples, from: number, to: number): SampleMeasures {
  const { tUs, gazeXPx, gazeYPx, isClick } = samples
  const sums = measureGaze(tUs, gazeXPx, gazeYPx, from, to, test.durationUs, windowOf(test))
  return measuredOf(sums, to - from, countTrue(isClick, from, to))
}

export function measureNothing(test: GivenTest): SampleMeasures {
  return measureTest(test, NO_SAMPLES, 0, 0)
}

/** Copies field by field, which takes a third of the time of a spread; there is one copy per test. */
function measuredOf(sums: GazeSums, sampleCount: number, clickCount: number): SampleMeasures {
  const { validCount, spanUs, missingUs, durationUs, onScreenCount, windowedCount } = sums
  return { validCount, spanUs, missingUs, durationUs, onScreenCount, windowedCount, sampleCount, clickCount }
}

function windowOf({ browserWidthPx, browserHeightPx }: GivenTest): { widthPx: number; heightPx: number } | null {
  if (browserWidthPx === null || browserHeightPx === null) return null
  return { widthPx: browserWidthPx, heightPx: browserHeightPx }
}

function countTrue(flags: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let i = start; i < end; i++) count += flags[i]
  return count
}
