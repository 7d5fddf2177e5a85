import type { Cells, Column, Rows, TupleCells } from '../model/columns.ts'
import { pickRows } from '../model/pick-rows.ts'
import { fractionText, roundToPrinted } from '../text/cells.ts'
import { guardFormula } from '../text/formula-guard.ts'
import { roundToMs } from '../text/numbers.ts'

/** Copies the first rows, since the arrays that hold them are reused. */
export function firstRows(rows: Rows, rowsMax: number): Rows {
  return pickRows(
    rows,
    Int32Array.from({ length: Math.min(rows.n, rowsMax) }, (_, i) => i),
  )
}

/** Formats row `i` as in a CSV, without quotes; a cell longer than `cellMax` is cut and ends in an ellipsis. */
export function printedRow(
  { cells }: Rows,
  i: number,
  columns: Column[],
  formulaGuard: boolean,
  cellMax: number,
): string[] {
  return columns.map((column, c) => {
    const text = printedCell(cells[c], i, column, formulaGuard, cellMax)
    return text.length > cellMax ? `${text.slice(0, cellMax)}…` : text
  })
}

function printedCell(cells: Cells, i: number, column: Column, formulaGuard: boolean, cellMax: number): string {
  const missing = column.missing ?? ''
  const textOf = (text: string) => (column.isGuarded && formulaGuard ? guardFormula(text) : text)
  if (cells.kind === 'same') {
    if (cells.value === null) return missing
    if (typeof cells.value === 'number') return fractionText(cells.value)
    return typeof cells.value === 'boolean' ? String(cells.value) : textOf(cells.value)
  }
  if (cells.kind === 'texts') return cells.indexes[i] < 0 ? missing : textOf(cells.dictionary[cells.indexes[i]])
  if (cells.kind === 'flags' || cells.kind === 'patterns') {
    const flag = cells.kind === 'flags' ? cells.values[i] : cells.patterns[cells.indexes[i]][cells.place]
    return flag === 2 ? missing : String(flag === 1)
  }
  if (cells.kind === 'lists' || cells.kind === 'tuples') return listText(cells, i, cellMax)
  const value = cells.values[i]
  if (Number.isNaN(value)) return missing
  return fractionText(cells.kind === 'microseconds' ? roundToMs(value) : value)
}

/** Formats as much of a list as fits. */
function listText(cells: Cells & { kind: 'lists' | 'tuples' }, i: number, cellMax: number): string {
  const start = i === 0 ? 0 : cells.ends[i - 1]
  const parts: string[] = []
  let length = 2
  for (let e = start; e < cells.ends[i] && length <= cellMax + 1; e++) {
    const value = cells.kind === 'lists' ? cells.dictionary[cells.indexes[e]] : tupleOf(cells.fields, e)
    parts.push(JSON.stringify(value))
    length += parts[parts.length - 1].length + 1
  }
  return `[${parts.join(',')}]`
}

function tupleOf(fields: TupleCells[], e: number): (number | boolean | null)[] {
  return fields.flatMap((field): (number | boolean | null)[] => {
    const value = field.values[e]
    if (field.kind === 'marks') return value === 1 ? [true] : []
    if (Number.isNaN(value)) return [null]
    if (field.kind === 'exactMs') return [value / 1000]
    return [field.kind === 'fractions' ? roundToPrinted(value) : value + 0]
  })
}
