import { nearest } from '../../model/parameters.ts'
import { addProblem, type Problems } from './bundle-problems.ts'
import type { Cell, CellValue } from './parse-cell.ts'
import { type CsvRow, readCsv } from './read-csv.ts'

/** The columns that a table may have, in any order, and no others. One whose cells may be empty may be missing altogether. */
export type Columns = Record<string, Cell<unknown>>
/** A cell that breaks its rule is undefined. */
export type TableRow<C extends Columns> = { [Name in keyof C]: CellValue<C[Name]> | undefined }

/**
 * Reads a CSV table of a bundle and checks every cell by its column.
 *
 * @param file the name that problems carry
 * @param onRow a row, its line, and whether all its cells keep their rules
 * @param further returns the columns that a header adds to the fixed ones
 * @returns whether the header could be used; without it no row was read
 */
export async function readTable<C extends Columns>(
  path: string,
  file: string,
  columns: C,
  problems: Problems,
  onRow: (row: TableRow<C>, line: number, isWhole: boolean) => void,
  further: (header: CsvRow) => Columns = () => ({}),
): Promise<boolean> {
  let all: Columns = columns
  let emptyRow: Record<string, unknown> = {}
  let header: string[] | null = null
  for await (const rows of readCsv(path, file, problems)) {
    for (const csv of rows) {
      if (header === null) {
        all = { ...columns, ...further(csv) }
        const empty = Object.entries(all).map(([name, cell]) => [name, cell.parse('')] as const)
        const needed = empty.flatMap(([name, value]) => (value === undefined ? [name] : []))
        emptyRow = Object.fromEntries(empty)
        header = readHeader(csv, file, Object.keys(all), needed, problems)
        if (header === null) return false
      } else checkRow(csv, file, header, all as C, emptyRow, problems, onRow)
    }
  }
  if (header === null && problems.count === 0)
    addProblem(problems, { file, line: null, column: null, value: null, rule: 'must have a header' })
  return header !== null
}

/** Returns the names in the order of the file; null, with problems, if one is unknown or a required one is missing. */
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
  const separator = cells.length === 1 ? [';', '\t'].find((one) => cells[0].includes(one)) : undefined
  if (separator) {
    report(null, cells[0], `must separate its cells by commas, not by ${separator === ';' ? 'semicolons' : 'tabs'}`)
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
