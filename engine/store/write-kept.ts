import type { DuckDBConnection } from '@duckdb/node-api'
import { BOOLEAN, DOUBLE, INTEGER } from './duckdb.ts'
import { CHUNK_ROWS, type GivenColumn, runOnGivenRows } from './given-rows.ts'
import { KEPT_COLUMNS, type KeptTest } from './kept-rows.ts'

/**
 * Writes rows that stand in order already into a sample file: DuckDB only encodes them, which takes half the time of sorting them too.
 *
 * @param name of a table function, for this connection alone
 * @param tests in the file's order, by ordinal
 * @param format what COPY is told
 */
export async function writeKept(
  connection: DuckDBConnection,
  name: string,
  path: string,
  tests: [ordinal: number, test: KeptTest][],
  format: string,
): Promise<void> {
  const ordinals = new Int32Array(CHUNK_ROWS)
  const kept = KEPT_COLUMNS.map((column) => ({
    name: column,
    type: column === 'is_click' ? BOOLEAN : DOUBLE,
    values: column === 'is_click' ? new Uint8Array(CHUNK_ROWS) : new Float64Array(CHUNK_ROWS),
  }))
  const columns: GivenColumn[] = [{ name: 'test_ordinal', type: INTEGER, values: ordinals }, ...kept]
  let test = 0
  let run = 0
  let done = 0
  const fill = () => {
    let n = 0
    while (n < CHUNK_ROWS && test < tests.length) {
      const [ordinal, { runs, rows }] = tests[test]
      const count = Math.min(runs[run + 2] - done, CHUNK_ROWS - n)
      ordinals.fill(ordinal, n, n + count)
      for (let c = 0; c < kept.length; c++) rows.copy(runs[run], c, runs[run + 1] + done, count, kept[c].values, n)
      n += count
      done += count
      if (done < runs[run + 2]) continue
      done = 0
      run += 3
      if (run < runs.length) continue
      run = 0
      test++
    }
    return n
  }
  await runOnGivenRows(connection, { name, columns, fill }, `COPY (SELECT * FROM ${name}()) TO $path ${format}`, {
    path,
  })
}
