import { join } from 'node:path'
import duckdb from '@duckdb/node-bindings'
import type { Samples } from '../compute/gaze.ts'
import { ServiceError } from '../errors.ts'
import type { DuckDb } from './duckdb.ts'
import { isShortage } from './durable.ts'
import { verifySamples } from './verify-samples.ts'

export type SampleColumn = 'gazeXPx' | 'gazeYPx' | 'scrollYPx' | 'mouseXPx' | 'mouseYPx' | 'isClick'

const SQL_NAMES: Record<SampleColumn, string> = {
  gazeXPx: 'gaze_x_px',
  gazeYPx: 'gaze_y_px',
  scrollYPx: 'scroll_y_px',
  mouseXPx: 'mouse_x_px',
  mouseYPx: 'mouse_y_px',
  isClick: 'is_click',
}

/** The samples of a whole shard, in file order. Columns that were not asked for are empty. */
export type ShardSamples = Samples

/** Arrays that are kept from shard to shard, by column: making them anew each time costs a tenth of an export. */
export type KeptArrays = Map<SampleColumn | 'tUs', Float64Array | Uint8Array>

/** Rows that kept arrays may have: a very long test is not worth its memory for good. */
const KEPT_ROWS_MAX = 1 << 19

/** Which of a snapshot's samples. */
export type SamplesPlace = {
  directory: string
  file: string
  sha256: string | null
  fromOrdinal: number
  toOrdinal: number
  rowCount: number
}

/**
 * Reads the samples with a `test_ordinal` from `fromOrdinal` to `toOrdinal`, in file order, as columns of length rowCount.
 * The result is materialized before it is read, since a streamed one of DuckDB can end early without an error.
 *
 * @param place `sha256` is the manifest's for the file, whose bytes are compared with it; null for one that has just been written
 * @param kept arrays to use again, which overwrites the samples that were read with them before
 * @throws ServiceError corrupt when the file is another than `sha256`, holds another number of rows there than `rowCount`, or cannot
 *   be read; overloaded when the system has too little for it at the moment
 */
export async function readSamples(
  { connection }: DuckDb,
  { directory, file, sha256, fromOrdinal, toOrdinal, rowCount }: SamplesPlace,
  columns: SampleColumn[],
  kept: KeptArrays = new Map(),
): Promise<ShardSamples> {
  const names = ['t_us::DOUBLE', ...columns.map((column) => SQL_NAMES[column])]
  const sql = `SELECT ${names.join(', ')} FROM read_parquet($1) WHERE test_ordinal BETWEEN $2 AND $3`
  const samples = emptySamples(rowCount, columns, kept)
  const targets = [samples.tUs, ...columns.map((column) => samples[column])]
  const path = join(directory, file)
  let rows = 0
  if (sha256 !== null) verifySamples(path, sha256)
  try {
    const result = await connection.run(sql, [path, fromOrdinal, toOrdinal])
    // Not by fetchChunk, which waits for another thread each time.
    for (let index = 0; index < result.chunkCount; index++) {
      const { chunk, rowCount: n } = result.getChunk(index)
      if (rows + n > rowCount) throw new ServiceError('corrupt', `${file} holds more rows than its manifest promises`)
      // Columns are taken whole: value by value is several times slower.
      for (const [c, target] of targets.entries()) {
        const byteCount = n * target.BYTES_PER_ELEMENT
        const data = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, c), byteCount)
        if (target instanceof Float64Array) target.set(new Float64Array(data.buffer, data.byteOffset, n), rows)
        else target.set(data, rows)
      }
      rows += n
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (isShortage(error)) throw new ServiceError('overloaded', 'too little to read samples with', { cause: error })
    throw new ServiceError('corrupt', `${file} cannot be read`, { cause: error })
  }
  if (rows !== rowCount) {
    throw new ServiceError('corrupt', `${file} gave ${rows} rows where its manifest promises ${rowCount}`)
  }
  // It may have been damaged since it was looked at.
  if (sha256 !== null) verifySamples(path, sha256)
  return samples
}

const NONE = new Float64Array(0)
const NO_FLAGS = new Uint8Array(0)

function emptySamples(n: number, columns: SampleColumn[], kept: KeptArrays): ShardSamples {
  const column = (name: Exclude<SampleColumn, 'isClick'> | 'tUs') =>
    name === 'tUs' || columns.includes(name) ? arrayOf(kept, name, n, Float64Array) : NONE
  return {
    n,
    tUs: column('tUs'),
    gazeXPx: column('gazeXPx'),
    gazeYPx: column('gazeYPx'),
    scrollYPx: column('scrollYPx'),
    mouseXPx: column('mouseXPx'),
    mouseYPx: column('mouseYPx'),
    isClick: columns.includes('isClick') ? arrayOf(kept, 'isClick', n, Uint8Array) : NO_FLAGS,
  }
}

function arrayOf<T extends Float64Array | Uint8Array>(
  kept: KeptArrays,
  name: SampleColumn | 'tUs',
  n: number,
  Kind: new (length: number) => T,
): T {
  const known = kept.get(name)
  if (known && known.length >= n) return known.subarray(0, n) as T
  const made = new Kind(n)
  if (n <= KEPT_ROWS_MAX) kept.set(name, made)
  return made
}

/** The samples of one test: views, not copies. */
export function sliceSamples(samples: ShardSamples, start: number, n: number): Samples {
  const end = start + n
  const slice = (column: Float64Array) => (column.length === 0 ? NONE : column.subarray(start, end))
  return {
    n,
    tUs: slice(samples.tUs),
    gazeXPx: slice(samples.gazeXPx),
    gazeYPx: slice(samples.gazeYPx),
    scrollYPx: slice(samples.scrollYPx),
    mouseXPx: slice(samples.mouseXPx),
    mouseYPx: slice(samples.mouseYPx),
    isClick: samples.isClick.length === 0 ? NO_FLAGS : samples.isClick.subarray(start, end),
  }
}
