import type { Column, Value } from '../model/columns.ts'
import { fractionText, quote } from '../text/cells.ts'
import { guardFormula } from '../text/formula-guard.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { textEncoder } from './text.ts'

/** Returns the header line of a CSV. */
export function csvHeader(columns: Column[]): string {
  return `${columns.map(({ name }) => quote(name)).join(',')}\n`
}

/** Writes rows of CSV: RFC 4180, quotes only where they must be, LF. */
export function csvEncoder({ columns, formulaGuard, sink }: EncoderOptions): Encoder {
  const before = columns.map((_, c) => (c === 0 ? '' : ','))
  const cell = (value: Value, column: Column) => csvCell(value, column, formulaGuard)
  return textEncoder(columns, { before, behind: '\n', cell, missing: ({ missing }) => missing ?? '', quote: '"' }, sink)
}

/** Formats a value as a CSV prints it. */
function csvCell(value: Value, { missing, isGuarded }: Column, formulaGuard: boolean): string {
  if (value === null) return missing ?? ''
  if (typeof value === 'number') return fractionText(value)
  if (typeof value === 'boolean') return String(value)
  return quote(isGuarded && formulaGuard ? guardFormula(value) : value)
}
