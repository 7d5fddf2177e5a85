import { join } from 'node:path'
import type { DuckDBMaterializedResult } from '@duckdb/node-api'
import type { Samples } from '../compute/gaze.ts'
import { duckDbBindings, readParquet } from '../duckdb/duckdb.ts'
import { collectGarbage } from '../duckdb/garbage.ts'
import { type QueryValues, query } from '../duckdb/query.ts'
import { ServiceError } from '../model/errors.ts'
import { EYE_COLUMNS, type EyeColumn, type Eyes } from '../model/eye-columns.ts'
import type { SampleFile } from '../model/study.ts'
import { studiesDirectoryOf } from '../storage/files/layout.ts'
import { verifyFile } from './verify.ts'

/** 'clicks' is `isClick`, and the mouse where that is 1: elsewhere `mouseXPx` and `mouseYPx` mean nothing then. */
export type SampleColumn = StoredColumn | 'clicks'
type PlainColumn = 'gazeXPx' | 'gazeYPx' | 'scrollYPx' | 'mouseXPx' | 'mouseYPx' | 'isClick'
type StoredColumn = PlainColumn | EyeColumn

const NAMES: Record<StoredColumn, string> = {
  gazeXPx: 'gaze_x_px',
  gazeYPx: 'gaze_y_px',
  scrollYPx: 'scroll_y_px',
  mouseXPx: 'mouse_x_px',
  mouseYPx: 'mouse_y_px',
  isClick: 'is_click',
  ...EYE_COLUMNS,
}

/** The place of samples in a snapshot: those of the tests of a file from one ordinal to another, both included. */
export type SamplesPlace = {
  directory: string
  file: SampleFile
  firstOrdinal: number
  lastOrdinal: number
  /** The first one's row in the file, and how many they are. */
  fromRow: number
  rowCount: number
}

/** Arrays that are reused from shard to shard, since allocating them takes as long as reading. */
export type KeptArrays = Map<string, Float64Array | Uint8Array>

/**
 * Reads samples as columns of length rowCount, in the order of the file, by SQL. Columns that were not asked for are
 * empty.
 *
 * @param place the file as its manifest has it: its bytes are compared with the hash, unless that was done before
 * @param kept arrays to use again, which overwrites the samples that were read with them before
 * @throws ServiceError corrupt when the file is not as promised or cannot be read, overloaded when the system has too
 * little for it at the moment
 */
export async function readSamples(
  place: SamplesPlace,
  columns: SampleColumn[],
  kept: KeptArrays = new Map(),
): Promise<Samples> {
  const path = join(place.directory, place.file.name)
  verifyFile(path, place.file.sha256)
  const samples = emptySamples(place, columns, kept)
  await readColumns(place, path, columns, samples)
  if (columns.includes('clicks') && place.file.clickCount > 0) await readClicks(place, path, samples)
  // It may have been damaged since it was looked at.
  verifyFile(path, place.file.sha256)
  return samples
}

/** Returns the columns whose values differ from the constant that `emptySamples` fills in. */
function storedIn(file: SampleFile, columns: SampleColumn[]): StoredColumn[] {
  const isStored = (column: SampleColumn) => {
    if (column === 'clicks') return false
    if (column === 'scrollYPx') return file.hasScroll
    if (column === 'isClick') return file.clickCount > 0
    if (isOfEyes(column)) return file.eyes?.includes(column) === true
    return !column.startsWith('mouse') || file.hasMouse
  }
  return columns.filter(isStored) as StoredColumn[]
}

export function isOfEyes(column: SampleColumn): column is EyeColumn {
  return column in EYE_COLUMNS
}

const WHERE = 'WHERE test_ordinal BETWEEN $first AND $last'

async function readColumns(
  place: SamplesPlace,
  path: string,
  columns: SampleColumn[],
  samples: Samples,
): Promise<void> {
  const { file, firstOrdinal: first, lastOrdinal: last, rowCount } = place
  const stored = storedIn(file, columns)
  const isWhole = rowCount === file.rowCount
  const selected = ['t_us::DOUBLE', ...stored.map(selectedAs)].join(', ')
  const sql = `SELECT ${selected} FROM ${readParquet()} ${isWhole ? '' : WHERE}`
  const values: QueryValues = isWhole ? { path } : { path, first, last }
  await query(studiesDirectoryOf(place.directory), sql, values, (result) => {
    if (result.rowCount !== rowCount)
      throw new ServiceError('corrupt', `${file.name} has ${result.rowCount} rows where there must be ${rowCount}`)
    copyColumns(result, stored, samples)
  })
  collectGarbage(rowCount * (1 + stored.length))
}

/** Returns SQL for a column as JavaScript stores it, whatever its type in the file: NaN where lost. */
function selectedAs(column: StoredColumn): string {
  return column === 'isClick' ? `${NAMES[column]}::BOOLEAN` : `coalesce(${NAMES[column]}::DOUBLE, 'NaN'::DOUBLE)`
}

function copyColumns(result: DuckDBMaterializedResult, stored: StoredColumn[], samples: Samples): void {
  const duckdb = duckDbBindings()
  const targets = [
    samples.tUs,
    ...stored.map((column) => (isOfEyes(column) ? samples.eyes![column]! : samples[column])),
  ]
  for (let c = 0, at = 0; c < result.chunkCount; c++) {
    const { chunk } = result.getChunk(c)
    const n = duckdb.data_chunk_get_size(chunk)
    for (const [i, target] of targets.entries()) {
      const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, i), target.BYTES_PER_ELEMENT * n)
      target.set(target instanceof Uint8Array ? bytes : new Float64Array(bytes.buffer, bytes.byteOffset, n), at)
    }
    at += n
  }
}

const CLICKS = `SELECT file_row_number - $fromRow, mouse_x_px, mouse_y_px
  FROM ${readParquet('file_row_number = true')} ${WHERE} AND is_click`

async function readClicks(place: SamplesPlace, path: string, samples: Samples): Promise<void> {
  const { firstOrdinal: first, lastOrdinal: last, fromRow } = place
  await query(studiesDirectoryOf(place.directory), CLICKS, { path, first, last, fromRow }, (result) => {
    for (let c = 0; c < result.chunkCount; c++) {
      for (const [row, x, y] of result.getChunk(c).getRows()) {
        samples.isClick[Number(row)] = 1
        samples.mouseXPx[Number(row)] = x === null ? Number.NaN : Number(x)
        samples.mouseYPx[Number(row)] = y === null ? Number.NaN : Number(y)
      }
    }
  })
}

const NONE = new Float64Array(0)
const NO_FLAGS = new Uint8Array(0)

/** Samples of a test that has none. */
export const NO_SAMPLES: Samples = {
  n: 0,
  tUs: NONE,
  gazeXPx: NONE,
  gazeYPx: NONE,
  scrollYPx: NONE,
  mouseXPx: NONE,
  mouseYPx: NONE,
  isClick: NO_FLAGS,
}

/** Returns arrays for the columns, filled with the constant value of columns that the file says are constant. */
function emptySamples({ rowCount: n, file }: SamplesPlace, columns: SampleColumn[], kept: KeptArrays): Samples {
  const hasClicks = columns.includes('clicks')
  const numbers = (name: Exclude<PlainColumn, 'isClick'>, isFilled: boolean, value: number) => {
    const isMouse = name.startsWith('mouse') && hasClicks
    if (!columns.includes(name) && !isMouse) return NONE
    const column = arrayOf(kept, name, n, Float64Array)
    return isFilled ? column.fill(value) : column
  }
  const isClick = columns.includes('isClick') || hasClicks ? arrayOf(kept, 'isClick', n, Uint8Array).fill(0) : NO_FLAGS
  return {
    n,
    tUs: arrayOf(kept, 'tUs', n, Float64Array),
    gazeXPx: numbers('gazeXPx', false, 0),
    gazeYPx: numbers('gazeYPx', false, 0),
    scrollYPx: numbers('scrollYPx', !file.hasScroll, 0),
    mouseXPx: numbers('mouseXPx', !file.hasMouse, Number.NaN),
    mouseYPx: numbers('mouseYPx', !file.hasMouse, Number.NaN),
    isClick,
    ...emptyEyes(columns, file, n, kept),
  }
}

/** Returns arrays for the columns of eyes that are asked for, NaN in those that a file does not have; else nothing. */
function emptyEyes(
  columns: SampleColumn[],
  { eyes: stored = [] }: SampleFile,
  n: number,
  kept: KeptArrays,
): Pick<Samples, 'eyes'> {
  const asked = columns.filter(isOfEyes)
  if (asked.length === 0) return {}
  const arrays = asked.map((name) => {
    const column = arrayOf(kept, name, n, Float64Array)
    return [name, stored.includes(name) ? column : column.fill(Number.NaN)]
  })
  return { eyes: Object.fromEntries(arrays) }
}

/** Maximum length of reused arrays: a very long test is not worth holding its memory. */
const KEPT_ROWS_MAX = 1 << 19

function arrayOf<T extends Float64Array | Uint8Array>(
  kept: KeptArrays,
  name: string,
  n: number,
  Kind: new (length: number) => T,
): T {
  const known = kept.get(name)
  if (known && known.length >= n) return known.subarray(0, n) as T
  if (n > KEPT_ROWS_MAX) return new Kind(n)
  // Room for more, so that the next ones, a little larger, do not make it again.
  const made = new Kind(2 ** Math.ceil(Math.log2(Math.max(1, n))))
  kept.set(name, made)
  return made.subarray(0, n) as T
}

/** Returns the samples of one test, as views. */
export function sliceSamples(samples: Samples, start: number, n: number): Samples {
  const slice = <T extends Float64Array | Uint8Array>(column: T) =>
    (column.length === 0 ? column : column.subarray(start, start + n)) as T
  return {
    n,
    tUs: slice(samples.tUs),
    gazeXPx: slice(samples.gazeXPx),
    gazeYPx: slice(samples.gazeYPx),
    scrollYPx: slice(samples.scrollYPx),
    mouseXPx: slice(samples.mouseXPx),
    mouseYPx: slice(samples.mouseYPx),
    isClick: slice(samples.isClick),
    ...(samples.eyes === undefined ? {} : { eyes: sliceEyes(samples.eyes, slice) }),
  }
}

function sliceEyes(eyes: Eyes, slice: (column: Float64Array) => Float64Array): Eyes {
  return Object.fromEntries(Object.entries(eyes).map(([name, column]) => [name, slice(column)]))
}
