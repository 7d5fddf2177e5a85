/**
 * Types between computing and encoding: an export turns a test into columns, and the encoder of a format turns columns
 * into bytes.
 */

export type ColumnType = 'uuid' | 'string' | 'url' | 'int' | 'number' | 'boolean' | 'datetime' | 'json'

/** A column of an export, as its schema describes it. */
export type Column = {
  name: string
  type: ColumnType
  /** Unit; '' if dimensionless. */
  unit: string
  meaning: string
  /** Text of an unknown value in a CSV; '' for an empty cell, null if the value is never missing. */
  missing: string | null
  /** True if CSV guards text that a spreadsheet would run as a formula. */
  isGuarded?: boolean
  /** True if numbers may need more than 32 bits. */
  isLarge?: boolean
  /** Content of a `json` column: tuples with these fields, or a list of texts. Without it, JSON text. */
  nested?: TupleField[] | 'texts'
}

/** A field of the tuples in a column; 'boolean' is true or absent. */
export type TupleField = { name: string; type: 'number' | 'boolean'; unit: string; meaning: string }

export type Value = string | number | boolean | null

/** Cells of a column by kind. Times are whole µs. A missing number is NaN, a missing text has the index -1. */
export type Cells =
  /** Column with one value in all rows. */
  | { kind: 'same'; value: Value }
  /** Any numbers, printed with at most six decimals. */
  | { kind: 'fractions'; values: Float64Array }
  /** Recorded numbers, printed with all digits. */
  | { kind: 'exact'; values: Float64Array }
  | { kind: 'wholes'; values: Float64Array | Int32Array }
  /** Whole µs, printed as whole ms. */
  | { kind: 'microseconds'; values: Float64Array }
  /** 0 or 1; 2 if missing. */
  | { kind: 'flags'; values: Uint8Array }
  /**
   * Flags of adjacent columns: row i has the pattern `patterns[indexes[i]]`, which has an index for each of these
   * columns, in their order.
   */
  | { kind: 'patterns'; patterns: readonly Uint8Array[]; indexes: Int32Array; place: number }
  | { kind: 'texts'; dictionary: readonly string[]; indexes: Int32Array }
  /** Lists of texts: row i has those from `ends[i - 1]` to `ends[i]`. */
  | { kind: 'lists'; ends: Int32Array; dictionary: readonly string[]; indexes: Int32Array }
  /** Lists of tuples: row i has those from `ends[i - 1]` to `ends[i]`; each field has one value for each tuple. */
  | { kind: 'tuples'; ends: Int32Array; fields: TupleCells[] }

export type TupleCells =
  | { kind: 'exact' | 'fractions'; values: Float64Array }
  /** Whole µs, printed as ms with all digits. */
  | { kind: 'exactMs'; values: Float64Array }
  /** 1 for true, 0 for absent. */
  | { kind: 'marks'; values: Uint8Array }

/** Rows as columns, in the order of the export's columns; arrays have length n or more. */
export type Rows = { n: number; cells: Cells[] }

/** Returns the cells of a column with the same value in all rows. */
export function same(value: Value): Cells {
  return { kind: 'same', value }
}

export function fractions(values: Float64Array): Cells {
  return { kind: 'fractions', values }
}

export function wholes(values: Float64Array | Int32Array): Cells {
  return { kind: 'wholes', values }
}

export function microseconds(values: Float64Array): Cells {
  return { kind: 'microseconds', values }
}

export function flags(values: Uint8Array): Cells {
  return { kind: 'flags', values }
}

/** Describes a column; `missing` is null if no value is ever missing. */
export function column(
  name: string,
  type: ColumnType,
  unit: string,
  meaning: string,
  missing: string | null = null,
  more: Partial<Column> = {},
): Column {
  return { name, type, unit, meaning, missing, ...more }
}
