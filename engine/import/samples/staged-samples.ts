import type { DuckDb } from '../../duckdb/duckdb.ts'
import { refusal } from '../../model/bundle-problems.ts'
import type { StagedTest } from '../../study/samples/write-samples.ts'
import type { SampleLimits } from '../bundle/bundle-limits.ts'
import { SAMPLE_COLUMNS } from './sample-columns.ts'

/**
 * New samples on their way into a snapshot: a table `staged` in the columns of SampleFile with `ordinal` for
 * `test_ordinal`, in recorded order (rowid). DuckDB reads, checks and types them in one pass, and stops at the first
 * value that breaks a rule: what exactly is wrong is found out afterwards, slowly.
 */

/** Columns of text; the others are of numbers. */
export const TEXT_COLUMNS = new Set(['test_id', 'is_click'])

/** Texts that mean a missing value, as docs/bundle.md names them. */
export const MISSING_TEXTS = "'', 'NA', 'NaN', 'nan'"

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
 * Reads a file of samples into the table. An id that the type does not have makes the cast fail; most are in lower case
 * already. Casts and filters keep the order of rows, where a join might not.
 *
 * @param source SQL that reads the file at $path
 * @param names of the columns that it has; in the others, every cell is missing
 * @param cell returns SQL for a column, as text or a number
 * @throws DuckDB's own error when any row breaks a rule
 */
export async function stage(
  { connection }: DuckDb,
  path: string,
  source: string,
  names: string[],
  cell = (name: string) => name,
): Promise<void> {
  const missing = (name: string) => `NULL::${TEXT_COLUMNS.has(name) ? 'VARCHAR' : 'DOUBLE'}`
  const columns = SAMPLE_COLUMNS.map((name) => `${names.includes(name) ? cell(name) : missing(name)} AS ${name}`)
  const sql = `CREATE OR REPLACE TABLE staged AS
SELECT enum_code(coalesce(try_cast(test_id AS known_test), lower(test_id)::known_test))::INTEGER AS ordinal,
  floor(t_ms * 1000 + 0.5)::BIGINT AS t_us,
  ${pair('gaze_x_px', 'gaze_y_px')},
  coalesce(scroll_y_px, 0) AS scroll_y_px,
  ${pair('mouse_x_px', 'mouse_y_px')},
  ${IS_CLICK}
FROM (SELECT ${columns.join(', ')} FROM ${source}) WHERE ${CHECK}`
  await connection.run(sql, { path })
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

/** @throws ServiceError invalid_bundle */
export function refuseTooMany(file: string, samples: number, { samplesMax }: SampleLimits): void {
  if (samples > samplesMax)
    throw refusal(file, `must have at most ${samplesMax} samples (IMPORT_MAX_SAMPLES), not ${samples}`)
}
