import type { Samples } from '../../compute/gaze.ts'
import { openDuckDb } from '../../duckdb/duckdb.ts'
import { CHUNK_ROWS, type GivenType, runOnGivenRows } from '../../duckdb/table-function.ts'
import { EYE_COLUMNS, type EyeColumn, type Eyes } from '../../model/eye-columns.ts'

/**
 * Columns of samples.parquet for a batch of rows; lost values are NaN. A test id is four 32-bit words, lowest first.
 */
export type SampleColumns = Omit<Samples, 'n' | 'tUs' | 'eyes'> & {
  testId: Uint32Array
  tMs: Float64Array
  /** Requested columns of eyes. */
  eyes: Eyes
}

const COLUMNS: [Exclude<keyof SampleColumns, 'eyes'>, string, GivenType][] = [
  ['testId', 'test_id', 'UUID'],
  ['tMs', 't_ms', 'DOUBLE'],
  ['gazeXPx', 'gaze_x_px', 'DOUBLE'],
  ['gazeYPx', 'gaze_y_px', 'DOUBLE'],
  ['scrollYPx', 'scroll_y_px', 'DOUBLE'],
  ['mouseXPx', 'mouse_x_px', 'DOUBLE'],
  ['mouseYPx', 'mouse_y_px', 'DOUBLE'],
  ['isClick', 'is_click', 'BOOLEAN'],
]

/** Converts NaN to NULL and the id to text in SQL, which is faster than marking rows one by one in JavaScript. */
function selectedAs({ name, type }: { name: string; type: GivenType }): string {
  if (type === 'UUID') return `${name}::VARCHAR AS ${name}`
  return type === 'DOUBLE' && name !== 't_ms' ? `nullif(${name}, 'NaN'::DOUBLE) AS ${name}` : name
}

/**
 * Streams samples into a Parquet file, in the order of their creation. DuckDB pulls chunks of columns while it
 * compresses, so only the current row group is in memory. One thread writes, so the bytes depend only on the samples.
 *
 * @param eyes columns of eyes in the file
 * @param fill writes up to `wanted` rows and returns their number; 0 ends the file
 * @throws errors of `fill`
 */
export async function writeSampleParquet({
  directory,
  path,
  memoryMib,
  eyes = [],
  fill,
}: {
  directory: string
  path: string
  memoryMib: number
  eyes?: EyeColumn[]
  fill: (columns: SampleColumns, wanted: number) => number
}): Promise<void> {
  const { connection, close } = await openDuckDb({ directories: [directory], threads: 1, memoryMib })
  const made = makeColumns(CHUNK_ROWS, eyes)
  const columns = [
    ...COLUMNS.map(([column, name, type]) => ({ name, type, values: made[column] })),
    ...eyes.map((column) => ({ name: EYE_COLUMNS[column], type: 'DOUBLE' as const, values: made.eyes[column]! })),
  ]
  const given = { name: 'given_samples', columns, fill: () => fill(made, CHUNK_ROWS) }
  const sql = `COPY (SELECT ${columns.map(selectedAs).join(', ')} FROM given_samples()) TO $path (FORMAT parquet, COMPRESSION zstd)`
  try {
    await runOnGivenRows(connection, given, sql, { path })
  } finally {
    close()
  }
}

function makeColumns(n: number, eyes: EyeColumn[]): SampleColumns {
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
    eyes: Object.fromEntries(eyes.map((column) => [column, doubles()])),
  }
}

/** Returns a UUID as DuckDB stores it: 128 bits, lowest word first, with the sign bit flipped. */
export function uuidWords(id: string): Uint32Array {
  const hex = id.replaceAll('-', '')
  const word = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16)
  return Uint32Array.of(word(24), word(16), word(8), word(0) ^ 0x80000000)
}
