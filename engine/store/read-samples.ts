import { join } from 'node:path'
import duckdb from '@duckdb/node-bindings'
import type { Samples } from '../compute/gaze.ts'
import { ServiceError } from '../errors.ts'
import type { DuckDb } from './duckdb.ts'

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

/**
 * Reads the samples with a `test_ordinal` from `fromOrdinal` to `toOrdinal`, in file order, as columns of length rowCount.
 * The result is materialized before it is read, since a streamed one of DuckDB can end early without an error.
 *
 * @param kept arrays to use again, which overwrites the samples that were read with them before
 * @throws ServiceError corrupt when the file holds another number of rows there than `rowCount`, or cannot be read
 */
export async function readSamples(
  { connection }: DuckDb,
  {
    directory,
    file,
    fromOrdinal,
    toOrdinal,
    rowCount,
  }: { directory: string; file: string; fromOrdinal: number; toOrdinal: number; rowCount: number },
  columns: SampleColumn[],
  kept: KeptArrays = new Map(),
): Promise<ShardSamples> {
  const names = ['t_us::DOUBLE', ...columns.map((column) => SQL_NAMES[column])]
  const sql = `SELECT ${names.join(', ')} FROM read_parquet($1) WHERE test_ordinal BETWEEN $2 AND $3`
  const samples = emptySamples(rowCount, columns, kept)
  const targets = [samples.tUs, ...columns.map((column) => samples[column])]
  let rows = 0
  try {
    const result = await connection.run(sql, [join(directory, file), fromOrdinal, toOrdinal])
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
    throw new ServiceError('corrupt', `${file} cannot be read`, { cause: error })
  }
  if (rows !== rowCount) {
    throw new ServiceError('corrupt', `${file} gave ${rows} rows where its manifest promises ${rowCount}`)
  }
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
