import type { DuckDBConnection } from '@duckdb/node-api'
import { duckDbBindings, duckDbLibrary } from './duckdb.ts'

/** DuckDB's vector length: largest number of rows that a table function may return at once. */
export const CHUNK_ROWS = 2048

/** Types that given columns have. */
export type GivenType = 'BOOLEAN' | 'DOUBLE' | 'INTEGER' | 'UUID'

type GivenColumn = {
  name: string
  type: GivenType
  /** Values in DuckDB's own layout of the type, of length CHUNK_ROWS. */
  values: Float64Array | Int32Array | Uint32Array | Uint8Array
}

/**
 * Runs SQL that selects from `<name>()`. DuckDB pulls its rows in chunks, so only one chunk is in memory.
 *
 * @param name must not be used by another concurrent query of the same DuckDB
 * @param fill writes up to CHUNK_ROWS rows into the columns' values, from the first index on, and returns their number;
 *   0 is the end. It runs while DuckDB processes the previous rows.
 * @throws errors of `fill`
 */
export async function runOnGivenRows(
  connection: DuckDBConnection,
  { name, columns, fill }: { name: string; columns: GivenColumn[]; fill: () => number },
  sql: string,
  values: Record<string, string>,
): Promise<void> {
  let ready: number | null = null
  let isOver = false
  let failure: unknown = null
  const prepare = () => {
    if (ready !== null || isOver) return
    try {
      ready = fill()
    } catch (error) {
      failure = error
      isOver = true
    }
  }
  const library = duckDbLibrary()
  const { copy_data_to_vector, data_chunk_get_vector } = duckDbBindings()
  const given = library.DuckDBTableFunction.create({
    name,
    bindFunction: (info) => {
      for (const column of columns) info.addResultColumn(column.name, library[column.type])
    },
    initFunction: () => {},
    mainFunction: (info, output) => {
      prepare()
      if (failure !== null) return info.setError('making the rows failed')
      const n = ready ?? 0
      output.rowCount = n
      ready = null
      if (n === 0) return
      for (const [i, { values }] of columns.entries()) {
        const bytes = n * (values.byteLength / CHUNK_ROWS)
        const vector = data_chunk_get_vector(output.chunk, i)
        copy_data_to_vector(vector, 0, values.buffer as ArrayBuffer, values.byteOffset, bytes)
      }
      // The next chunk is computed while DuckDB processes this one.
      setImmediate(prepare)
    },
  })
  try {
    connection.registerTableFunction(given)
    await connection.run(sql, values)
  } catch (error) {
    throw failure ?? error
  } finally {
    isOver = true
    given.destroySync()
  }
}
