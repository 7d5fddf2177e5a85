import { addFileProblem, addProblem, type Problems } from '../../model/bundle-problems.ts'
import { nearest } from '../../model/nearest.ts'
import { TABLE_MAX_BYTES } from './bundle-limits.ts'
import type { Cell, CellValue } from './parse-cell.ts'
import { type CsvRow, readCsv } from './read-csv.ts'
import { readParquetRows } from './read-parquet-rows.ts'

/** Allowed columns of a table, in any order. A column whose cells may be empty may be absent. */
export type Columns = Record<string, Cell<unknown>>
/** Parsed cells of a row; undefined for a cell that breaks its rule. */
export type TableRow<C extends Columns> = { [Name in keyof C]: CellValue<C[Name]> | undefined }

/** A table in a bundle. `file` is its name for problems; `maxBytes` of uncompressed data apply if `maxRows` do. */
export type Table = { path: string; file: string; maxRows?: number; maxBytes?: number; signal?: AbortSignal }

/**
 * Reads a table of a bundle, CSV or Parquet, and validates every cell by its column.
 *
 * @param onRow gets a row, its line, and whether all of its cells are valid
 * @param further returns the columns that a header adds to the fixed ones
 * @returns false if the header is invalid or the table too long; then not all rows were read
 */
export async function readTable<C extends Columns>(
  { path, file, maxRows = Number.POSITIVE_INFINITY, maxBytes = TABLE_MAX_BYTES, signal }: Table,
  columns: C,
  problems: Problems,
  onRow: (row: TableRow<C>, line: number, isWhole: boolean) => void,
  further: (header: CsvRow) => Columns = () => ({}),
): Promise<boolean> {
  let rowCount = 0
  let all: Columns = columns
  let emptyRow: Record<string, unknown> = {}
  let header: string[] | null = null
  const isParquet = file.endsWith('.parquet')
  const csvMaxBytes = Number.isFinite(maxRows) ? maxBytes : Number.POSITIVE_INFINITY
  const found = isParquet ? readParquetRows(path, file, problems, maxBytes) : readCsv(path, file, problems, csvMaxBytes)
  for await (const rows of found) {
    signal?.throwIfAborted()
    for (const csv of rows) {
      if (header === null) {
        all = { ...columns, ...further(csv) }
        const empty = Object.entries(all).map(([name, cell]) => [name, cell.parse('')] as const)
        const needed = empty.flatMap(([name, value]) => (value === undefined ? [name] : []))
        emptyRow = Object.fromEntries(empty)
        header = readHeader(csv, file, Object.keys(all), needed, problems)
        if (header === null) return false
      } else if (rowCount++ === maxRows) {
        const rule = `must have at most ${maxRows} rows`
        addProblem(problems, { file, line: csv.line, column: null, value: null, rule })
        return false
      } else checkRow(csv, file, header, all as C, emptyRow, problems, onRow)
    }
  }
  if (header === null && problems.count === 0) addFileProblem(problems, file, 'must have a header')
  return header !== null
}

const COLUMNS_MAX = 1000

/**
 * Returns the column names in the order of the file; null, with problems, if one is unexpected or a required one is
 * missing.
 */
export function readHeader(
  { line, cells }: CsvRow,
  file: string,
  expected: string[],
  needed: string[],
  problems: Problems,
): string[] | null {
  const before = problems.count
  const report = (column: string | null, value: string | null, rule: string) =>
    addProblem(problems, { file, line, column, value, rule })
  if (cells.length > COLUMNS_MAX) {
    report(null, null, `must have at most ${COLUMNS_MAX} columns, not ${cells.length}`)
    return null
  }
  for (const [i, name] of cells.entries()) {
    if (!expected.includes(name)) {
      const near = nearest(name, expected).nearest
      report(name, name, `is no column of ${file}${near ? `; ${near} is` : ''}`)
    } else if (cells.indexOf(name) < i) report(name, name, 'must stand in the header once')
  }
  for (const name of needed) if (!cells.includes(name)) report(name, null, 'is missing in the header')
  return problems.count === before ? cells : null
}

function checkRow<C extends Columns>(
  { line, cells }: CsvRow,
  file: string,
  header: string[],
  columns: C,
  empty: Record<string, unknown>,
  problems: Problems,
  onRow: (row: TableRow<C>, line: number, isWhole: boolean) => void,
): void {
  if (cells.length !== header.length) {
    const rule = `must have ${header.length} cells, as the header has, not ${cells.length}`
    addProblem(problems, { file, line, column: null, value: cells.join(','), rule })
    return
  }
  const row: Record<string, unknown> = { ...empty }
  let isWhole = true
  for (let i = 0; i < header.length; i++) {
    const name = header[i]
    row[name] = columns[name].parse(cells[i])
    if (row[name] !== undefined) continue
    isWhole = false
    addProblem(problems, { file, line, column: name, value: cells[i], rule: columns[name].rule })
  }
  onRow(row as TableRow<C>, line, isWhole)
}
