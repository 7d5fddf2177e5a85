import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { DuckDBTableFunction } from './duckdb.ts'

/** DuckDB's vector length: the most rows that a table function may hand over at once. */
export const CHUNK_ROWS = 2048

type GivenColumn = {
  name: string
  type: DuckDBType
  /** Values in DuckDB's own layout of the type, CHUNK_ROWS of them. */
  values: Float64Array | Int32Array | Uint32Array | Uint8Array
}

/**
 * Runs SQL that selects from `<name>()`, whose rows are made as DuckDB pulls them: nothing is held but a chunk.
 *
 * @param name no other query of the same DuckDB may use it at the same time
 * @param fill writes up to CHUNK_ROWS rows into the columns' values, from their beginning, and returns how many; 0 is
 * the end. It is called while DuckDB works on the rows before.
 * @throws whatever `fill` throws
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
  const given = DuckDBTableFunction.create({
    name,
    bindFunction: (info) => {
      for (const column of columns) info.addResultColumn(column.name, column.type)
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
        const vector = duckdb.data_chunk_get_vector(output.chunk, i)
        duckdb.copy_data_to_vector(vector, 0, values.buffer as ArrayBuffer, values.byteOffset, bytes)
      }
      // The next chunk is made while DuckDB works on this one.
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
