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

/**
 * Reads the samples with a `test_ordinal` from `fromOrdinal` to `toOrdinal`, in file order, as columns of length rowCount.
 * The result is materialized before it is read, since a streamed one of DuckDB can end early without an error.
 *
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
): Promise<ShardSamples> {
  const names = ['t_us::DOUBLE', ...columns.map((column) => SQL_NAMES[column])]
  const sql = `SELECT ${names.join(', ')} FROM read_parquet($1) WHERE test_ordinal BETWEEN $2 AND $3`
  const samples = emptySamples(rowCount, columns)
  const targets = [samples.tUs, ...columns.map((column) => samples[column])]
  let rows = 0
  try {
    const result = await connection.run(sql, [join(directory, file), fromOrdinal, toOrdinal])
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      const n = chunk.rowCount
      if (rows + n > rowCount) throw new ServiceError('corrupt', `${file} holds more rows than its manifest promises`)
      // Columns are taken whole: value by value is several times slower.
      for (const [c, target] of targets.entries()) {
        const byteCount = n * target.BYTES_PER_ELEMENT
        const data = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, c), byteCount)
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

function emptySamples(n: number, columns: SampleColumn[]): ShardSamples {
  const column = (name: SampleColumn) => (columns.includes(name) ? new Float64Array(n) : NONE)
  return {
    n,
    tUs: new Float64Array(n),
    gazeXPx: column('gazeXPx'),
    gazeYPx: column('gazeYPx'),
    scrollYPx: column('scrollYPx'),
    mouseXPx: column('mouseXPx'),
    mouseYPx: column('mouseYPx'),
    isClick: new Uint8Array(columns.includes('isClick') ? n : 0),
  }
}

/** The samples of one test: views, not copies. */
export function sliceSamples(samples: ShardSamples, start: number, n: number): Samples {
  const end = start + n
  return {
    n,
    tUs: samples.tUs.subarray(start, end),
    gazeXPx: samples.gazeXPx.subarray(start, end),
    gazeYPx: samples.gazeYPx.subarray(start, end),
    scrollYPx: samples.scrollYPx.subarray(start, end),
    mouseXPx: samples.mouseXPx.subarray(start, end),
    mouseYPx: samples.mouseYPx.subarray(start, end),
    isClick: samples.isClick.subarray(start, end),
  }
}
