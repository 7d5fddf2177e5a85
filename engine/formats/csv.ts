import type { Column, Value } from '../model/columns.ts'
import { fractionText, quote } from '../text/cells.ts'
import { guardFormula } from '../text/formula-guard.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'
import { textEncoder } from './text.ts'

/** Separator of cells, and decimal mark. */
type CsvDialect = { separator: ',' | ';'; decimal: '.' | ',' }

const COMMAS: CsvDialect = { separator: ',', decimal: '.' }
/** Dialect for spreadsheets that use a decimal comma, and for R's `read.csv2`. */
export const SEMICOLONS: CsvDialect = { separator: ';', decimal: ',' }

/** Formats the header line of a CSV. */
export function csvHeader(columns: Column[], { separator }: CsvDialect = COMMAS): string {
  return `${columns.map(({ name }) => quote(name, separator)).join(separator)}\n`
}

/** Encodes rows as CSV: RFC 4180 except for the dialect, quotes only where needed, LF line ends. */
export function csvEncoder({ columns, formulaGuard, sink }: EncoderOptions, dialect: CsvDialect = COMMAS): Encoder {
  const before = columns.map((_, c) => (c === 0 ? '' : dialect.separator))
  const cell = (value: Value, column: Column) => csvCell(value, column, formulaGuard, dialect)
  const missing = ({ missing }: Column) => missing ?? ''
  const hasDecimalComma = dialect.decimal === ','
  return textEncoder(columns, { before, behind: '\n', cell, missing, quote: '"', hasDecimalComma }, sink)
}

/** Formats a value as in a CSV cell. */
function csvCell(
  value: Value,
  { missing, isGuarded }: Column,
  formulaGuard: boolean,
  { separator, decimal }: CsvDialect,
): string {
  if (value === null) return missing ?? ''
  if (typeof value === 'number') return fractionText(value).replace('.', decimal)
  if (typeof value === 'boolean') return String(value)
  return quote(isGuarded && formulaGuard ? guardFormula(value) : value, separator)
}
