import type { DuckDBType } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { BOOLEAN, DOUBLE, DuckDBTableFunction, openDuckDb, UUID } from './duckdb.ts'

/** Columns of samples.parquet for some rows; what is lost is NaN. Four words of 32 bits make a test id, lowest first. */
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

/** DuckDB's vector length: the most rows that a table function may hand over at once. */
const CHUNK_ROWS = 2048

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
 * Streams samples into a Parquet file, in the order they are made: DuckDB pulls chunks of columns while it compresses, so
 * that nothing is held but the row group at work. The bytes depend on the samples alone, since one thread writes.
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
  const columns = makeColumns(CHUNK_ROWS)
  let ready: number | null = null
  let isOver = false
  let failure: unknown = null
  const prepare = () => {
    if (ready !== null || isOver) return
    try {
      ready = fill(columns, CHUNK_ROWS)
    } catch (error) {
      failure = error
      isOver = true
    }
  }
  const samples = DuckDBTableFunction.create({
    name: 'given_samples',
    bindFunction: (info) => {
      for (const [, name, type] of COLUMNS) info.addResultColumn(name, type)
    },
    initFunction: () => {},
    mainFunction: (info, output) => {
      prepare()
      if (failure !== null) return info.setError('making the samples failed')
      const n = ready ?? 0
      output.rowCount = n
      ready = null
      if (n === 0) return
      for (const [i, [column]] of COLUMNS.entries()) {
        const { buffer, BYTES_PER_ELEMENT, length } = columns[column]
        const bytes = n * BYTES_PER_ELEMENT * (length / CHUNK_ROWS)
        duckdb.copy_data_to_vector(duckdb.data_chunk_get_vector(output.chunk, i), 0, buffer as ArrayBuffer, 0, bytes)
      }
      // The next chunk is made while DuckDB compresses this one.
      setImmediate(prepare)
    },
  })
  try {
    connection.registerTableFunction(samples)
    await connection.run(`COPY (SELECT ${SELECTED} FROM given_samples()) TO $path (FORMAT parquet, COMPRESSION zstd)`, {
      path,
    })
  } catch (error) {
    throw failure ?? error
  } finally {
    isOver = true
    close()
    samples.destroySync()
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

/** A UUID as DuckDB keeps it: 128 bits, lowest word first, the sign bit turned. */
export function uuidWords(id: string): Uint32Array {
  const hex = id.replaceAll('-', '')
  const word = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16)
  return Uint32Array.of(word(24), word(16), word(8), word(0) ^ 0x80000000)
}
