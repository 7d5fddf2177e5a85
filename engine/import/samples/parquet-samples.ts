import { stat } from 'node:fs/promises'
import { type DuckDb, readParquet } from '../../duckdb/duckdb.ts'
import { addFileProblem, addProblem, LISTED_MAX, type Problems, refusal } from '../../model/bundle-problems.ts'
import { checkRatio } from '../../storage/files/gzip-ratio.ts'
import { throwGrave } from '../../study/workspace.ts'
import { type SampleLimits, STAGED_SAMPLE_BYTES, unpackedLimit } from '../bundle/bundle-limits.ts'
import { DAY_MS } from '../bundle/parse-cell.ts'
import {
  largest,
  NEEDED_SAMPLE_COLUMNS,
  SAMPLE_CELLS,
  SAMPLE_COLUMNS,
  type SampleName,
  UNKNOWN_TEST,
} from './sample-columns.ts'
import { countStaged, isEyeHeader, MISSING_TEXTS, refuseTooMany, stage, TEXT_COLUMNS } from './staged-samples.ts'

/** Stages a samples.parquet. @returns false, with problems, if it is invalid */
export async function takeParquet(
  db: DuckDb,
  path: string,
  file: string,
  limits: SampleLimits,
  problems: Problems,
  signal: AbortSignal,
): Promise<boolean> {
  const names = await checkParquetColumns(db, path, file, problems)
  if (names === null) return false
  try {
    const { rows, bytes } = await sizeOfParquet(db, path)
    refuseTooMany(file, rows, limits)
    const { mostBytes, rule } = unpackedLimit(limits)
    const { size } = await stat(path)
    const checkSize = (unpackedBytes: number) => {
      if (unpackedBytes > mostBytes) throw refusal(file, rule)
      checkRatio(file, unpackedBytes, size)
    }
    checkSize(Math.max(bytes, rows * stagedBytes(names)))
    checkSize(await textBytes(db, path, names))
    await stage(db, path, readParquet(), names, asInCsv)
    if ((await countStaged(db)) === rows) return true
  } catch (error) {
    throwGrave(error, signal)
  }
  // No query can read these pages, so no row can be named.
  await checkParquetSamples(db, path, file, names, problems).catch((error) => throwGrave(error, signal))
  if (problems.count === 0) addFileProblem(problems, file, 'must be a whole Parquet file')
  return false
}

/** Returns the number of bytes of a staged sample. */
function stagedBytes(names: string[]): number {
  return STAGED_SAMPLE_BYTES + 8 * names.filter(isEyeHeader).length
}

/** Returns the length of all texts together: a dictionary holds each once, however many rows have it. */
async function textBytes({ connection }: DuckDb, path: string, names: string[]): Promise<number> {
  const lengths = names.filter((name) => TEXT_COLUMNS.has(name)).map((name) => `coalesce(strlen(${name}::VARCHAR), 0)`)
  const sql = `SELECT coalesce(sum(${lengths.join(' + ')}), 0)::DOUBLE FROM ${readParquet()}`
  return Number((await connection.runAndReadAll(sql, { path })).getRows()[0][0])
}

/** Returns the number of rows and of uncompressed bytes of pages, according to a Parquet file's metadata. */
async function sizeOfParquet({ connection }: DuckDb, path: string): Promise<{ rows: number; bytes: number }> {
  const one = async (sql: string) => Number((await connection.runAndReadAll(sql, { path })).getRows()[0][0])
  return {
    rows: await one('SELECT num_rows FROM parquet_file_metadata($path)'),
    bytes: await one('SELECT coalesce(sum(total_uncompressed_size), 0)::DOUBLE FROM parquet_metadata($path)'),
  }
}

/**
 * Returns SQL for a column of samples.parquet with the values that it would have in CSV: ids and booleans as text, NaN
 * and its texts as missing.
 */
function asInCsv(name: string): string {
  if (!TEXT_COLUMNS.has(name)) return `nullif(${name}::DOUBLE, 'NaN'::DOUBLE)`
  const text = `${name}::VARCHAR`
  return name === 'is_click' ? `CASE WHEN ${text} NOT IN (${MISSING_TEXTS}) THEN lower(${text}) END` : `lower(${text})`
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

/**
 * Validates names and types of the columns of a samples.parquet. Returns the names; null, with problems, if they are
 * invalid.
 */
async function checkParquetColumns(
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
 * Reports every problem in the rows of a samples.parquet; `line` is the number of the row, from 1. Values are printed
 * by DuckDB.
 */
async function checkParquetSamples(
  { connection }: DuckDb,
  path: string,
  file: string,
  names: string[],
  problems: Problems,
): Promise<void> {
  for (const name of SAMPLE_COLUMNS.filter((known) => names.includes(known))) {
    const rule = name === 'test_id' ? UNKNOWN_TEST : SAMPLE_CELLS[name].rule
    const broken = brokenBy(name)
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

/** Returns SQL that tells whether the cell `value` of a column breaks its rule. */
function brokenBy(name: SampleName): string {
  if (name === 'test_id') return 'value IS NULL OR value NOT IN (SELECT id FROM known_tests)'
  if (name === 't_ms') return `value IS NULL OR abs(value) > ${DAY_MS}`
  if (name === 'is_click') return "value NOT IN ('true', 'false', '1', '0')"
  const { max, isSize } = largest(name)
  return isSize ? `value <= 0 OR value > ${max}` : `abs(value) > ${max}`
}
