import type { DuckDBType } from '@duckdb/node-api'
import { BOOLEAN, DOUBLE, openDuckDb, UUID } from '../../duckdb/duckdb.ts'
import { CHUNK_ROWS, runOnGivenRows } from '../../duckdb/table-function.ts'

/**
 * Columns of samples.parquet for some rows; what is lost is NaN. Four words of 32 bits make a test id, lowest first.
 */
export type SampleColumns = {
  testId: Uint32Array
  tMs: Float64Array
  gazeXPx: Float64Array
  gazeYPx: Float64Array
  scrollYPx: Float64Array
  mouseXPx: Float64Array
  mouseYPx: Float64Array
  isClick: Uint8Array
}

const COLUMNS: [keyof SampleColumns, string, DuckDBType][] = [
  ['testId', 'test_id', UUID],
  ['tMs', 't_ms', DOUBLE],
  ['gazeXPx', 'gaze_x_px', DOUBLE],
  ['gazeYPx', 'gaze_y_px', DOUBLE],
  ['scrollYPx', 'scroll_y_px', DOUBLE],
  ['mouseXPx', 'mouse_x_px', DOUBLE],
  ['mouseYPx', 'mouse_y_px', DOUBLE],
  ['isClick', 'is_click', BOOLEAN],
]

/** NaN becomes NULL and the id text here, which is faster than marking rows one by one in JavaScript. */
const SELECTED = COLUMNS.map(([, name, type]) => {
  if (type === UUID) return `${name}::VARCHAR AS ${name}`
  return type === DOUBLE && name !== 't_ms' ? `nullif(${name}, 'NaN'::DOUBLE) AS ${name}` : name
}).join(', ')

/**
 * Streams samples into a Parquet file, in the order they are made: DuckDB pulls chunks of columns while it compresses,
 * so that nothing is held but the row group at work. The bytes depend on the samples alone, since one thread writes.
 *
 * @param fill writes up to `wanted` rows and returns how many; 0 ends the file
 * @throws whatever `fill` throws
 */
export async function writeSamples({
  directory,
  path,
  memoryMib,
  fill,
}: {
  directory: string
  path: string
  memoryMib: number
  fill: (columns: SampleColumns, wanted: number) => number
}): Promise<void> {
  const { connection, close } = await openDuckDb({ directories: [directory], threads: 1, memoryMib })
  const made = makeColumns(CHUNK_ROWS)
  const columns = COLUMNS.map(([column, name, type]) => ({ name, type, values: made[column] }))
  const given = { name: 'given_samples', columns, fill: () => fill(made, CHUNK_ROWS) }
  const sql = `COPY (SELECT ${SELECTED} FROM given_samples()) TO $path (FORMAT parquet, COMPRESSION zstd)`
  try {
    await runOnGivenRows(connection, given, sql, { path })
  } finally {
    close()
  }
}

function makeColumns(n: number): SampleColumns {
  const doubles = () => new Float64Array(n)
  return {
    testId: new Uint32Array(4 * n),
    tMs: doubles(),
    gazeXPx: doubles(),
    gazeYPx: doubles(),
    scrollYPx: doubles(),
    mouseXPx: doubles(),
    mouseYPx: doubles(),
    isClick: new Uint8Array(n),
  }
}

/** Returns a UUID as DuckDB stores it: 128 bits, lowest word first, with the sign bit flipped. */
export function uuidWords(id: string): Uint32Array {
  const hex = id.replaceAll('-', '')
  const word = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16)
  return Uint32Array.of(word(24), word(16), word(8), word(0) ^ 0x80000000)
}
