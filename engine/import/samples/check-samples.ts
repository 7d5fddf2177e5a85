import { type DuckDb, readParquet } from '../../duckdb/duckdb.ts'
import { addProblem, LISTED_MAX, type Problems } from '../../model/bundle-problems.ts'
import { DAY_MS, flag, MAX_PX, number, required, uuid } from '../bundle/parse-cell.ts'
import { readTable } from '../bundle/read-table.ts'
import { NEEDED_SAMPLE_COLUMNS, SAMPLE_COLUMNS } from './sample-columns.ts'
import { asInCsv } from './stage-samples.ts'

/**
 * What is wrong with samples that could not be staged: line, column, value and rule of each. Slow, and used only then. The
 * rules are those of stage-samples.ts.
 */
const PX = number(-MAX_PX, MAX_PX)
export const SAMPLE_CELLS = {
  test_id: uuid,
  t_ms: required(number(-DAY_MS, DAY_MS)),
  gaze_x_px: PX,
  gaze_y_px: PX,
  scroll_y_px: PX,
  mouse_x_px: PX,
  mouse_y_px: PX,
  is_click: flag,
}
const UNKNOWN_TEST = 'must be the id of a test in tests.csv'

/**
 * Reports every problem in a samples.csv that could not be staged.
 *
 * @param known ids of the tests that samples may name
 */
export async function checkCsvSamples(
  path: string,
  file: string,
  known: Set<string>,
  problems: Problems,
  signal: AbortSignal,
): Promise<void> {
  await readTable({ path, file }, SAMPLE_CELLS, problems, ({ test_id: id }, line) => {
    signal.throwIfAborted()
    if (id !== undefined && !known.has(id))
      addProblem(problems, { file, line, column: 'test_id', value: id, rule: UNKNOWN_TEST })
  })
}

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/
const TYPES: Record<string, { matches: (type: string) => boolean; rule: string }> = {
  test_id: { matches: (type) => type === 'VARCHAR' || type === 'UUID', rule: 'must be a column of text or UUIDs' },
  is_click: {
    matches: (type) => type === 'BOOLEAN' || type === 'VARCHAR' || /INT/.test(type),
    rule: 'must be a column of booleans',
  },
}
const NUMBER_TYPE = { matches: (type: string) => NUMERIC.test(type), rule: 'must be a column of numbers' }

/** Checks names and types of a samples.parquet's columns; gives the names, or null, with problems, when they are not right. */
export async function checkParquetColumns(
  { connection }: DuckDb,
  path: string,
  file: string,
  problems: Problems,
): Promise<string[] | null> {
  const report = (column: string | null, value: string | null, rule: string) =>
    addProblem(problems, { file, line: null, column, value, rule })
  const types = await connection
    .runAndReadAll(`DESCRIBE SELECT * FROM ${readParquet()}`, { path })
    .then((reader) => new Map(reader.getRows().map(([name, type]) => [String(name), String(type)])))
    .catch(() => null)
  if (types === null) {
    report(null, null, 'must be a Parquet file')
    return null
  }
  const before = problems.count
  const names: readonly string[] = SAMPLE_COLUMNS
  for (const [name, type] of types) {
    const { matches, rule } = TYPES[name] ?? NUMBER_TYPE
    if (!names.includes(name)) report(name, name, `is no column of ${file}`)
    else if (!matches(type)) report(name, type, rule)
  }
  for (const name of NEEDED_SAMPLE_COLUMNS) if (!types.has(name)) report(name, null, 'is missing')
  return problems.count === before ? [...types.keys()] : null
}

/**
 * Reports every problem in the rows of a samples.parquet; `line` is the number of the row, from 1. Values print as
 * DuckDB prints them.
 */
export async function checkParquetSamples(
  { connection }: DuckDb,
  path: string,
  file: string,
  names: string[],
  problems: Problems,
): Promise<void> {
  for (const name of SAMPLE_COLUMNS.filter((known) => names.includes(known))) {
    const { rule, broken } = PARQUET_RULES[name]
    const source = `(SELECT file_row_number, ${name} AS raw, ${asInCsv(name)} AS value FROM ${readParquet('file_row_number = true')})`
    const count = await connection.runAndReadAll(`SELECT count(*) FROM ${source} WHERE ${broken}`, { path })
    const found = Number(count.getRows()[0][0])
    if (found === 0) continue
    const first = await connection.runAndReadAll(
      `SELECT file_row_number + 1, raw::VARCHAR FROM ${source} WHERE ${broken} ORDER BY 1 LIMIT ${LISTED_MAX}`,
      { path },
    )
    for (const [line, value] of first.getRows()) {
      addProblem(problems, {
        file,
        line: Number(line),
        column: name,
        value: value === null ? null : String(value),
        rule,
      })
    }
    problems.count += found - first.currentRowCount
  }
}

const outside = (bound: number) => `abs(value) > ${bound}`
const PARQUET_RULES: Record<(typeof SAMPLE_COLUMNS)[number], { rule: string; broken: string }> = {
  test_id: { rule: UNKNOWN_TEST, broken: 'value IS NULL OR value NOT IN (SELECT id FROM known_tests)' },
  t_ms: { rule: SAMPLE_CELLS.t_ms.rule, broken: `value IS NULL OR ${outside(DAY_MS)}` },
  gaze_x_px: { rule: PX.rule, broken: outside(MAX_PX) },
  gaze_y_px: { rule: PX.rule, broken: outside(MAX_PX) },
  scroll_y_px: { rule: PX.rule, broken: outside(MAX_PX) },
  mouse_x_px: { rule: PX.rule, broken: outside(MAX_PX) },
  mouse_y_px: { rule: PX.rule, broken: outside(MAX_PX) },
  is_click: { rule: flag.rule, broken: "value NOT IN ('true', 'false', '1', '0')" },
}
