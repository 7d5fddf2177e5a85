/**
 * The shapes between computing and encoding: an export makes columns of a test, and an encoder per format makes bytes
 * of them.
 */

export type ColumnType = 'uuid' | 'string' | 'url' | 'int' | 'number' | 'boolean' | 'datetime' | 'json'

/** A column of an export, as its schema describes it. */
export type Column = {
  name: string
  type: ColumnType
  /** '' where it counts nothing. */
  unit: string
  meaning: string
  /** The text with which a CSV shows an unknown value; '' for the empty field, null if the value is never missing. */
  missing: string | null
  /** True if CSV guards text that a spreadsheet would run as a formula. */
  isGuarded?: boolean
  /** True if its numbers may need more than 32 bits. */
  isLarge?: boolean
  /** The contents of a `json` column: tuples with these fields, or a list of texts. Without it, JSON text. */
  nested?: TupleField[] | 'texts'
}

/** A field of the tuples in a column; 'boolean' is true or left out. */
export type TupleField = { name: string; type: 'number' | 'boolean'; unit: string; meaning: string }

export type Value = string | number | boolean | null

/** Times are whole µs. A missing number is NaN, a missing text has index -1. */
export type Cells =
  /** Column with one value in all rows. */
  | { kind: 'same'; value: Value }
  /** Any numbers, written with at most six decimals. */
  | { kind: 'fractions'; values: Float64Array }
  /** Numbers as they were recorded, all their digits. */
  | { kind: 'exact'; values: Float64Array }
  | { kind: 'wholes'; values: Float64Array | Int32Array }
  /** Written as whole ms. */
  | { kind: 'microseconds'; values: Float64Array }
  /** 0 or 1; 2 is missing. */
  | { kind: 'flags'; values: Uint8Array }
  /**
   * Flags of neighbouring columns: row i has the pattern `patterns[indexes[i]]`, and each column its place in it. A
   * pattern has a place for each of these columns, and they stand side by side in its order.
   */
  | { kind: 'patterns'; patterns: readonly Uint8Array[]; indexes: Int32Array; place: number }
  | { kind: 'texts'; dictionary: readonly string[]; indexes: Int32Array }
  /** Row i has the texts from `ends[i - 1]` to `ends[i]`. */
  | { kind: 'lists'; ends: Int32Array; dictionary: readonly string[]; indexes: Int32Array }
  /** Row i has the tuples from `ends[i - 1]` to `ends[i]`; each field has a value for each tuple. */
  | { kind: 'tuples'; ends: Int32Array; fields: TupleCells[] }

export type TupleCells =
  | { kind: 'exact' | 'fractions'; values: Float64Array }
  /** Written as ms with all digits. */
  | { kind: 'exactMs'; values: Float64Array }
  /** 1 for true, 0 for left out. */
  | { kind: 'marks'; values: Uint8Array }

/** Rows as columns, in the order of the export's columns; arrays have at least `n` values. */
export type Rows = { n: number; cells: Cells[] }

/** Returns the cells of a column in which all rows are alike. */
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

/** Describes a column; `missing` is null where a value is never missing. */
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
