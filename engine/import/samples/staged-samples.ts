import type { DuckDb } from '../../duckdb/duckdb.ts'
import { refusal } from '../../model/bundle-problems.ts'
import { EYE_COLUMN_NAMES, EYE_COLUMNS, EYE_PAIRS, type EyeColumn } from '../../model/eye-columns.ts'
import type { StagedTest } from '../../study/samples/write-samples.ts'
import type { SampleLimits } from '../bundle/bundle-limits.ts'
import { largest, SAMPLE_COLUMNS, type SampleName } from './sample-columns.ts'

/**
 * Stages new samples for a snapshot in a table `staged`, in recorded order (rowid), with the columns of SampleFile, but
 * `ordinal` for `test_ordinal`. DuckDB reads, validates and types them in one pass, and stops at the first value that
 * breaks a rule. Only then does a slower pass find out what is wrong.
 */

/** Text columns; all others are numbers. */
export const TEXT_COLUMNS = new Set(['test_id', 'is_click'])

/** Texts for missing values, as in docs/bundle.md. */
export const MISSING_TEXTS = "'', 'NA', 'NaN', 'nan'"

/**
 * Loads the ids of the tests that samples may name into DuckDB.
 *
 * @param ids in the order of output: the index of an id is its ordinal
 * @param news those of them that may have samples; the others keep their indexes under names that no lower-case text
 *   equals
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
 * SQL for the limits of samples (docs/bundle.md). To DuckDB, NaN is greater than everything, so it breaks them, too.
 */
const CHECK = `CASE WHEN test_id IS NOT NULL AND abs(t_ms) <= 86400000
  AND coalesce(greatest(abs(gaze_x_px), abs(gaze_y_px), abs(scroll_y_px), abs(mouse_x_px), abs(mouse_y_px)) <= 1e7, true)
  THEN true ELSE error('a sample breaks a rule') END`

/** Returns SQL for the limits of an optional column. */
function checkOf(name: SampleName): string {
  const { max, isSize } = largest(name)
  const isKept = isSize ? `${name} > 0 AND ${name} <= ${max}` : `abs(${name}) <= ${max}`
  return `CASE WHEN coalesce(${isKept}, true) THEN true ELSE error('a sample breaks a rule') END`
}

/** SQL for clicks. Most rows have none, so one comparison with a text comes first. */
const IS_CLICK = `CASE WHEN is_click = 'false' OR is_click IS NULL THEN false WHEN is_click IN ('true', '1') THEN true
  WHEN is_click = '0' THEN false ELSE error('a sample breaks a rule') END AS is_click`

/** Returns SQL for a coordinate; NULL if the other one is. */
const whole = (own: string, other: string) => `CASE WHEN ${other} IS NOT NULL THEN ${own} END`
const pair = (x: string, y: string) => `${whole(x, y)} AS ${x}, ${whole(y, x)} AS ${y}`

/** Returns the columns of eyes in a file: the gaze of an eye only if both of its coordinates exist. */
function eyesAmong(names: string[]): EyeColumn[] {
  const isGiven = (column: EyeColumn) => names.includes(EYE_COLUMNS[column])
  const halves = EYE_PAIRS.filter((two) => !two.every(isGiven)).flat()
  return EYE_COLUMN_NAMES.filter((column) => isGiven(column) && !halves.some((half) => half === column))
}

/**
 * Returns SQL for the gaze: the given one or, in a file without its columns, the mean of the recorded eyes, as
 * `meanOfEyes` computes it.
 */
function gazeOf(names: string[], eyes: EyeColumn[]): string {
  const isGiven = names.includes('gaze_x_px') || names.includes('gaze_y_px')
  const pairs = EYE_PAIRS.filter(([x]) => eyes.includes(x)).map(([x, y]) => [EYE_COLUMNS[x], EYE_COLUMNS[y]] as const)
  if (isGiven || pairs.length === 0) return pair('gaze_x_px', 'gaze_y_px')
  const mean = (cells: string[]) =>
    cells.length === 1 ? cells[0] : `coalesce((${cells.join(' + ')}) / 2, ${cells.join(', ')})`
  const x = mean(pairs.map(([own, other]) => whole(own, other)))
  const y = mean(pairs.map(([other, own]) => whole(own, other)))
  return `${x} AS gaze_x_px, ${y} AS gaze_y_px`
}

/** Returns SQL for the columns of eyes, each preceded by a comma. */
function eyesSql(eyes: EyeColumn[]): string {
  const other = new Map<EyeColumn, EyeColumn>(EYE_PAIRS.flatMap(([x, y]) => [[x, y] as const, [y, x] as const]))
  return eyes
    .map((column) => {
      const name = EYE_COLUMNS[column]
      const half = other.get(column)
      return half === undefined ? `, ${name}` : `, ${whole(name, EYE_COLUMNS[half])} AS ${name}`
    })
    .join('')
}

/**
 * Reads a file of samples into the table. An unknown id makes the cast to the enum fail; most ids are already in lower
 * case. Casts and filters keep the order of rows, which a join might not.
 *
 * @param source SQL that reads the file at $path
 * @param names of its columns; cells of all others are missing
 * @param cell returns SQL for a column, as text or a number
 * @throws DuckDB's own error if any row breaks a rule
 */
export async function stage(
  { connection }: DuckDb,
  path: string,
  source: string,
  names: string[],
  cell = (name: string) => name,
): Promise<void> {
  const missing = (name: string) => `NULL::${TEXT_COLUMNS.has(name) ? 'VARCHAR' : 'DOUBLE'}`
  const eyes = eyesAmong(names)
  const given = SAMPLE_COLUMNS.filter((name) => !isEyeHeader(name) || names.includes(name))
  const checks = [CHECK, ...given.filter(isEyeHeader).map(checkOf)]
  const columns = given.map((name) => `${names.includes(name) ? cell(name) : missing(name)} AS ${name}`)
  const sql = `CREATE OR REPLACE TABLE staged AS
SELECT enum_code(coalesce(try_cast(test_id AS known_test), lower(test_id)::known_test))::INTEGER AS ordinal,
  floor(t_ms * 1000 + 0.5)::BIGINT AS t_us,
  ${gazeOf(names, eyes)},
  coalesce(scroll_y_px, 0) AS scroll_y_px,
  ${pair('mouse_x_px', 'mouse_y_px')},
  ${IS_CLICK}${eyesSql(eyes)}
FROM (SELECT ${columns.join(', ')} FROM ${source}) WHERE ${checks.join(' AND ')}`
  await connection.run(sql, { path })
}

export function isEyeHeader(name: string): boolean {
  return Object.values<string>(EYE_COLUMNS).includes(name)
}

/** Returns the columns of eyes in `staged` with any value. */
export async function stagedEyes({ connection }: DuckDb): Promise<EyeColumn[]> {
  const names = (await connection.runAndReadAll('DESCRIBE staged')).getRows().map(([name]) => String(name))
  const eyes = eyesAmong(names)
  if (eyes.length === 0) return []
  const counts = eyes.map((column) => `count(${EYE_COLUMNS[column]})`)
  const [row] = (await connection.runAndReadAll(`SELECT ${counts.join(', ')} FROM staged`)).getRows()
  return eyes.filter((_, i) => Number(row[i]) > 0)
}

export async function countStaged({ connection }: DuckDb): Promise<number> {
  return Number((await connection.runAndReadAll('SELECT count(*) FROM staged')).getRows()[0][0])
}

/** Returns the range of each test's rows in `staged`, by ordinal, without tests that have no rows. */
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

/** Checks the number of samples of each test. @throws ServiceError invalid_bundle */
export function refuseTooMany(file: string, samples: number, { samplesMax }: SampleLimits): void {
  if (samples > samplesMax)
    throw refusal(file, `must have at most ${samplesMax} samples (IMPORT_MAX_SAMPLES), not ${samples}`)
}
