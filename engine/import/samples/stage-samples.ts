import { type DuckDb, readParquet } from '../../duckdb/duckdb.ts'
import type { StagedTest } from '../../study/samples/write-samples.ts'
import { SAMPLE_COLUMNS } from './sample-columns.ts'

/**
 * New samples on their way into a snapshot: a table `staged` in the columns of SampleFile with `ordinal` for `test_ordinal`, in
 * recorded order (rowid). DuckDB reads, checks and types them in one pass, and stops at the first value that breaks a rule: what
 * exactly is wrong is for check-samples.ts to find out, slowly.
 */

/** Each thread has a few of these; DuckDB's own 32 MB would not fit the least memory that may be set. */
const BUFFER_BYTES = 16 * 1024 * 1024
const TEXT = new Set(['test_id', 'is_click'])

/** The bounds of docs/bundle.md for samples. A NaN is greater than everything to DuckDB, so that it breaks them too. */
const CHECK = `CASE WHEN test_id IS NOT NULL AND abs(t_ms) <= 86400000
  AND coalesce(greatest(abs(gaze_x_px), abs(gaze_y_px), abs(scroll_y_px), abs(mouse_x_px), abs(mouse_y_px)) <= 1e7, true)
  THEN true ELSE error('a sample breaks a rule') END`

/** Most rows are no clicks, and are compared with one text. */
const IS_CLICK = `CASE WHEN is_click = 'false' OR is_click IS NULL THEN false WHEN is_click IN ('true', '1') THEN true
  WHEN is_click = '0' THEN false ELSE error('a sample breaks a rule') END AS is_click`

const pair = (x: string, y: string) =>
  `CASE WHEN ${y} IS NOT NULL THEN ${x} END AS ${x}, CASE WHEN ${x} IS NOT NULL THEN ${y} END AS ${y}`

/**
 * An id that the type does not have makes the cast fail; most are in lower case already. Casts and filters keep the order of rows,
 * where a join might not.
 */
const stage = (source: string) => `CREATE OR REPLACE TABLE staged AS
SELECT enum_code(coalesce(try_cast(test_id AS known_test), lower(test_id)::known_test))::INTEGER AS ordinal,
  floor(t_ms * 1000 + 0.5)::BIGINT AS t_us,
  ${pair('gaze_x_px', 'gaze_y_px')},
  coalesce(scroll_y_px, 0) AS scroll_y_px,
  ${pair('mouse_x_px', 'mouse_y_px')},
  ${IS_CLICK}
FROM ${source} WHERE ${CHECK}`

/** Returns SQL for a column that the file does not have: every cell is missing. */
function missing(name: string): string {
  return `NULL::${TEXT.has(name) ? 'VARCHAR' : 'DOUBLE'} AS ${name}`
}

/** Texts that mean a missing value, as docs/bundle.md names them. */
const MISSING_TEXTS = "'', 'NA', 'NaN', 'nan'"

/**
 * Returns SQL for a column of samples.parquet as it would be read from CSV: ids and booleans as text, NaN and texts for it as missing.
 */
export function asInCsv(name: string): string {
  if (!TEXT.has(name)) return `nullif(${name}::DOUBLE, 'NaN'::DOUBLE)`
  const text = `${name}::VARCHAR`
  return name === 'is_click' ? `CASE WHEN ${text} NOT IN (${MISSING_TEXTS}) THEN lower(${text}) END` : `lower(${text})`
}

/**
 * Tells DuckDB the ids of the tests that samples may name.
 *
 * @param ids in the order of output: an id's place is its ordinal
 * @param news those of them that may have samples; the others keep their places by names that no lower-case text equals
 */
export async function declareTests({ connection }: DuckDb, ids: string[], news: Set<string>): Promise<void> {
  await connection.run('CREATE TABLE known_tests (id VARCHAR, ordinal INTEGER)')
  const appender = await connection.createAppender('known_tests')
  for (const [ordinal, id] of ids.entries()) {
    appender.appendVarchar(news.has(id) ? id : `STORED ${ordinal}`)
    appender.appendInteger(ordinal)
    appender.endRow()
  }
  appender.closeSync()
  await connection.run('CREATE TYPE known_test AS ENUM (SELECT id FROM known_tests ORDER BY ordinal)')
}

/**
 * Reads samples.csv into the table `staged`.
 *
 * @param path an existing samples.csv or samples.csv.gz
 * @param header the names in the order of the file
 * @throws DuckDB's own error when any row breaks a rule
 */
export async function stageCsv({ connection }: DuckDb, path: string, header: string[]): Promise<void> {
  const types = header.map((name) => `'${name}': '${TEXT.has(name) ? 'VARCHAR' : 'DOUBLE'}'`)
  const compression = path.endsWith('.gz') ? 'gzip' : 'none'
  const csv = `read_csv($path, auto_detect = false, hive_partitioning = false, union_by_name = false, header = true, delim = ',', quote = '"', escape = '"',
    compression = '${compression}', buffer_size = ${BUFFER_BYTES}, nullstr = [${MISSING_TEXTS}], columns = {${types.join(', ')}})`
  await connection.run(
    stage(
      `(SELECT ${SAMPLE_COLUMNS.map((name) => (header.includes(name) ? name : missing(name))).join(', ')} FROM ${csv})`,
    ),
    { path },
  )
}

/**
 * Reads samples.parquet into the table `staged`.
 *
 * @param path an existing samples.parquet, whose columns have the right types
 * @param names those that it has
 * @throws DuckDB's own error when any row breaks a rule
 */
export async function stageParquet({ connection }: DuckDb, path: string, names: string[]): Promise<void> {
  const columns = SAMPLE_COLUMNS.map((name) => (names.includes(name) ? `${asInCsv(name)} AS ${name}` : missing(name)))
  await connection.run(stage(`(SELECT ${columns.join(', ')} FROM ${readParquet()})`), { path })
}

/** What a Parquet file says of itself: how many rows it has, and how many bytes of pages once they are unpacked. */
export async function sizeOfParquet({ connection }: DuckDb, path: string): Promise<{ rows: number; bytes: number }> {
  const one = async (sql: string) => Number((await connection.runAndReadAll(sql, { path })).getRows()[0][0])
  return {
    rows: await one('SELECT num_rows FROM parquet_file_metadata($path)'),
    bytes: await one('SELECT coalesce(sum(total_uncompressed_size), 0)::DOUBLE FROM parquet_metadata($path)'),
  }
}

export async function countStaged({ connection }: DuckDb): Promise<number> {
  return Number((await connection.runAndReadAll('SELECT count(*) FROM staged')).getRows()[0][0])
}

/** Returns where the rows of each test stand in `staged`, by ordinal; tests without rows are left out. */
export async function stagedTests({ connection }: DuckDb): Promise<Map<number, StagedTest>> {
  const reader = await connection.runAndReadAll(
    'SELECT ordinal, count(*), min(rowid), max(rowid), max(abs(t_us)) FROM staged GROUP BY ordinal ORDER BY ordinal',
  )
  const rows = reader.getRows().map((row) => row.map(Number))
  return new Map(
    rows.map(([ordinal, rowCount, firstRow, lastRow, farthestUs]) => [
      ordinal,
      { rowCount, firstRow, lastRow, farthestUs },
    ]),
  )
}
