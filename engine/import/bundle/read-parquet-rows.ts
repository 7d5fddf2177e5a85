import { dirname } from 'node:path'
import { type DuckDb, openDuckDb, readParquet } from '../../duckdb/duckdb.ts'
import { addFileProblem, addProblem, type Problems } from '../../model/bundle-problems.ts'
import type { CsvRow } from './read-csv.ts'

const MEMORY_MIB = 256
const NOT_WHOLE = 'must be a whole Parquet file'
const PLAIN = /^(VARCHAR|UUID|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/

/**
 * Reads a small Parquet table as rows of CSV: first its header, then the cells as text, '' for null. Row i, from 1, has
 * line i.
 */
export async function* readParquetRows(
  path: string,
  file: string,
  problems: Problems,
  maxBytes: number,
): AsyncGenerator<CsvRow[]> {
  const db = await openDuckDb({ directories: [dirname(path)], threads: 1, memoryMib: MEMORY_MIB })
  try {
    const names = await plainColumns(db, path, file, problems, maxBytes)
    if (names === null || !(await areTextsSmall(db, names, path, file, problems, maxBytes))) return
    yield [{ line: 0, cells: names }]
    const cells = names.map((name) => `coalesce("${name.replaceAll('"', '""')}"::VARCHAR, '')`)
    const result = await db.connection.stream(`SELECT ${cells.join(', ')} FROM ${readParquet()}`, { path })
    let line = 0
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
      yield chunk.getRows().map((row) => ({ line: ++line, cells: row.map(String) }))
    const counted = await db.connection.runAndReadAll('SELECT num_rows FROM parquet_file_metadata($path)', { path })
    // A streamed result may end early without an error.
    if (line !== Number(counted.getRows()[0][0])) addFileProblem(problems, file, NOT_WHOLE)
  } catch {
    addFileProblem(problems, file, NOT_WHOLE)
  } finally {
    db.close()
  }
}

/**
 * Returns the column names of a table; null, with problems, if it is too large or has other types than text and
 * numbers.
 */
async function plainColumns(
  { connection }: DuckDb,
  path: string,
  file: string,
  problems: Problems,
  maxBytes: number,
): Promise<string[] | null> {
  const sql = 'SELECT coalesce(sum(total_uncompressed_size), 0)::DOUBLE FROM parquet_metadata($path)'
  const bytes = Number((await connection.runAndReadAll(sql, { path })).getRows()[0][0])
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${readParquet()}`, { path })
  const types = described.getRows().map(([name, type]) => [String(name), String(type)])
  if (bytes > maxBytes) addFileProblem(problems, file, `must have at most ${maxBytes / 2 ** 20} MiB uncompressed`)
  for (const [name, type] of types)
    if (!PLAIN.test(type))
      addProblem(problems, { file, line: null, column: name, value: type, rule: 'must be a column of text or numbers' })
  return problems.count === 0 ? types.map(([name]) => name) : null
}

/**
 * Returns whether the texts of a table are small enough together; otherwise reports a problem. A dictionary holds a
 * text once, however many rows have it, and the cells would hold it as often.
 */
async function areTextsSmall(
  { connection }: DuckDb,
  names: string[],
  path: string,
  file: string,
  problems: Problems,
  maxBytes: number,
): Promise<boolean> {
  const sums = names.map((name) => `coalesce(sum(strlen("${name.replaceAll('"', '""')}"::VARCHAR)), 0)::DOUBLE`)
  const [found] = (
    await connection.runAndReadAll(`SELECT ${sums.join(', ')} FROM ${readParquet()}`, { path })
  ).getRows()
  const bytes = found.reduce<number>((sum, each) => sum + Number(each), 0)
  if (bytes <= maxBytes) return true
  addFileProblem(problems, file, `must have at most ${maxBytes / 2 ** 20} MiB of text in its cells`)
  return false
}
