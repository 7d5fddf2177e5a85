import type { Cells, Column, Rows, TupleCells, Value } from '../model/columns.ts'
import { roundToPrinted } from '../text/cells.ts'
import { roundToMs } from '../text/numbers.ts'
import { type Growing, grow, growing, growingAgain, release } from './growing.ts'

/**
 * Gathers the columns of a shard's rows, test by test, for typed formats. Numbers are those that a CSV prints; a value
 * is missing if its CSV cell is empty or equals the column's missing value.
 */
export type Gathered = NumberColumn | FlagColumn | RunColumn | ListColumn | TupleColumn

export type NumberColumn = { kind: 'numbers'; values: Growing<Float64Array>; missing: Missing }
export type FlagColumn = { kind: 'flags'; values: Growing<Uint8Array>; missing: Missing }
/**
 * Run-length encodes equal neighbours: the index of a value in `dictionary`, -1 for missing, and the number of rows.
 */
export type RunColumn = {
  kind: 'runs'
  dictionary: Map<Value, number>
  codes: Growing<Int32Array>
  counts: Growing<Int32Array>
}
type ListColumn = { kind: 'lists'; ends: Growing<Int32Array>; texts: RunColumn }
type TupleColumn = { kind: 'tuples'; ends: Growing<Int32Array>; fields: (NumberColumn | FlagColumn)[] }

/** Rows without a value, in ascending order. */
export type Missing = Growing<Int32Array>

/** Returns whether a column's values belong to tests or AOIs, and therefore repeat from row to row. */
export function isFixed(column: Column): boolean {
  return 'value' in column
}

const TEXT_TYPES: Column['type'][] = ['uuid', 'string', 'url', 'datetime', 'json']

export function isText({ type, nested }: Column): boolean {
  return nested === undefined && TEXT_TYPES.includes(type)
}

export function gatherColumns(columns: Column[]): {
  add: (rows: Rows) => void
  columns: Gathered[]
  rows: () => number
  /** Releases the memory for the next shard, once this one is written. */
  release: () => void
} {
  const gathered = columns.map(emptyColumn)
  let n = 0
  return {
    add: (rows) => {
      for (let c = 0; c < gathered.length; c++) addCells(gathered[c], columns[c], rows.cells[c], rows.n, n)
      n += rows.n
    },
    columns: gathered,
    rows: () => n,
    release: () => gathered.flatMap(arraysOf).forEach(release),
  }
}

/** Returns the arrays with up to one value per row; the others are small. */
function arraysOf(column: Gathered): (NumberColumn['values'] | FlagColumn['values'] | Missing)[] {
  if (column.kind === 'tuples') return column.fields.flatMap(arraysOf)
  return column.kind === 'numbers' || column.kind === 'flags' ? [column.values, column.missing] : []
}

function emptyColumn(column: Column): Gathered {
  const { type, nested } = column
  if (nested === 'texts') return { kind: 'lists', ends: growing(Int32Array), texts: emptyRuns() }
  if (nested)
    return {
      kind: 'tuples',
      ends: growing(Int32Array),
      fields: nested.map((field) => (field.type === 'boolean' ? emptyFlags() : emptyNumbers())),
    }
  if (type === 'boolean') return emptyFlags()
  return isText(column) || isFixed(column) ? emptyRuns() : emptyNumbers()
}

const emptyRuns = (): RunColumn => ({
  kind: 'runs',
  dictionary: new Map(),
  codes: growing(Int32Array),
  counts: growing(Int32Array),
})
const emptyFlags = (): FlagColumn => ({
  kind: 'flags',
  values: growingAgain(Uint8Array),
  missing: growingAgain(Int32Array),
})
const emptyNumbers = (): NumberColumn => ({
  kind: 'numbers',
  values: growingAgain(Float64Array),
  missing: growingAgain(Int32Array),
})

function addCells(into: Gathered, column: Column, cells: Cells, n: number, row: number): void {
  if (into.kind === 'runs') addRuns(into, column, cells, n)
  else if (into.kind === 'numbers') addNumbers(into, cells, n, row)
  else if (into.kind === 'flags') addFlags(into, cells, n, row)
  else if (into.kind === 'lists' && cells.kind === 'lists') addLists(into, cells, n)
  else if (into.kind === 'tuples' && cells.kind === 'tuples') addTuples(into, cells, n)
  else throw new Error(`${column.name} has cells of kind ${cells.kind}`)
}

/** Returns whether a value becomes null in formats that support null. */
export function isNull(value: Value, { type, missing }: Column): boolean {
  if (value === null) return true
  if (value === '') return missing !== null
  return type !== 'json' && type !== 'boolean' && missing !== null && String(value) === missing
}

function addRuns(into: RunColumn, column: Column, cells: Cells, n: number): void {
  if (cells.kind === 'same') addRun(into, cells.value, isNull(cells.value, column), n)
  else if (cells.kind === 'texts')
    for (let i = 0; i < n; i++) {
      const value = cells.indexes[i] < 0 ? null : cells.dictionary[cells.indexes[i]]
      addRun(into, value, isNull(value, column), 1)
    }
  else throw new Error(`${column.name} has cells of kind ${cells.kind}`)
}

function addRun({ dictionary, codes, counts }: RunColumn, value: Value, isNull: boolean, n: number): void {
  let code = -1
  if (!isNull) {
    const printed = typeof value === 'number' ? roundToPrinted(value) : value
    code = dictionary.get(printed) ?? dictionary.size
    if (code === dictionary.size) dictionary.set(printed, code)
  }
  if (codes.length > 0 && codes.values[codes.length - 1] === code) {
    counts.values[counts.length - 1] += n
    return
  }
  grow(codes, 1)[0] = code
  grow(counts, 1)[0] = n
}

function addNumbers(into: NumberColumn, cells: Cells | TupleCells, n: number, row: number): void {
  const values = grow(into.values, n)
  if (cells.kind === 'same') values.fill(typeof cells.value === 'number' ? roundToPrinted(cells.value) : Number.NaN)
  else if (cells.kind === 'fractions') for (let i = 0; i < n; i++) values[i] = roundToPrinted(cells.values[i])
  else if (cells.kind === 'microseconds') for (let i = 0; i < n; i++) values[i] = roundToMs(cells.values[i])
  else if (cells.kind === 'exactMs') for (let i = 0; i < n; i++) values[i] = cells.values[i] / 1000
  else if (cells.kind === 'wholes' || cells.kind === 'exact') values.set(cells.values.subarray(0, n))
  else throw new Error(`a column of numbers has cells of kind ${cells.kind}`)
  takeMissing(into, values, row, Number.NaN)
}

function addFlags(into: FlagColumn, cells: Cells | TupleCells, n: number, row: number): void {
  const values = grow(into.values, n)
  if (cells.kind === 'flags' || cells.kind === 'marks' || cells.kind === 'patterns') {
    if (cells.kind === 'patterns') copyFlags(cells, values)
    else values.set(cells.values.subarray(0, n))
  } else if (cells.kind === 'same') values.fill(cells.value === null ? MISSING_FLAG : cells.value === true ? 1 : 0)
  else throw new Error(`a column of flags has cells of kind ${cells.kind}`)
  takeMissing(into, values, row, MISSING_FLAG)
}

/** Value of a flag that is missing, beside 0 and 1. */
const MISSING_FLAG = 2

/**
 * Lists the rows of missing values, and sets these to 0.
 *
 * @param row that of the first value
 * @param mark value that stands for a missing one, besides NaN
 */
function takeMissing(into: { missing: Missing }, values: Float64Array | Uint8Array, row: number, mark: number): void {
  let count = 0
  for (let i = 0; i < values.length; i++) if (values[i] === mark || Number.isNaN(values[i])) count++
  const missing = grow(into.missing, count)
  for (let i = 0, m = 0; m < count; i++) {
    if (values[i] !== mark && !Number.isNaN(values[i])) continue
    missing[m++] = row + i
    values[i] = 0
  }
}

function copyFlags({ patterns, indexes, place }: Cells & { kind: 'patterns' }, values: Uint8Array): void {
  const flagOf = Uint8Array.from(patterns, (pattern) => pattern[place])
  for (let i = 0; i < values.length; i++) values[i] = flagOf[indexes[i]]
}

function addLists(into: ListColumn, cells: Cells & { kind: 'lists' }, n: number): void {
  addEnds(into.ends, cells.ends, n)
  const count = n === 0 ? 0 : cells.ends[n - 1]
  for (let i = 0; i < count; i++) addRun(into.texts, cells.dictionary[cells.indexes[i]], false, 1)
}

function addTuples(into: TupleColumn, cells: Cells & { kind: 'tuples' }, n: number): void {
  const before = addEnds(into.ends, cells.ends, n)
  const count = n === 0 ? 0 : cells.ends[n - 1]
  for (const [f, field] of into.fields.entries()) {
    if (field.kind === 'flags') addFlags(field, cells.fields[f], count, before)
    else addNumbers(field, cells.fields[f], count, before)
  }
}

/** Appends the ends of n rows, and returns the offset at which the first begins. */
function addEnds(into: Growing<Int32Array>, ends: Int32Array, n: number): number {
  const before = into.length === 0 ? 0 : into.values[into.length - 1]
  const added = grow(into, n)
  for (let i = 0; i < n; i++) added[i] = before + ends[i]
  return before
}
