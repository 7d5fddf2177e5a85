import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import { type Cells, type Column, type ColumnType, column, type Rows } from '../../model/columns.ts'
import { ServiceError } from '../../model/errors.ts'

/** Table with the rows of a query's result, in order; its schema hides it from SHOW TABLES. */
export const RESULT_SCHEMA = 'of_query'
export const RESULT = `${RESULT_SCHEMA}.result`

/** Columns of a query's result, and the number of its rows. */
export type ResultShape = { columns: Column[]; rowCount: number }

/** Result of a query. */
export type QueryResult = ResultShape & {
  /**
   * Yields rows in chunks of some thousands: all, or the first ones with texts of limited length.
   *
   * @throws ServiceError corrupt if they cannot be read
   */
  rows: (limits?: RowLimits) => AsyncGenerator<Rows>
}

export type RowLimits = { rowsMax: number; charactersMax: number }

/** A column of the result: how to read it, and a condition for values that no format can hold exactly. */
type Reading = { column: Column; sql: string; kind: Kind; lost?: { condition: string; what: string } }
type Kind = 'flags' | 'wholes' | 'exact' | 'texts'

/**
 * Returns the columns of the result after checking all values.
 *
 * @throws ServiceError usage for a number that would be written as another one
 */
export async function readResult(connection: DuckDBConnection): Promise<QueryResult> {
  const described = (await connection.runAndReadAll(`DESCRIBE ${RESULT}`)).getRows()
  const readings = described.map(([name, type]) => readingOf(String(name), String(type)))
  const lost = readings.flatMap((reading) => (reading.lost ? [reading] : []))
  const looks = ['count(*)', ...lost.map(({ lost }) => `coalesce(bool_or(${lost!.condition}), false)`)]
  const [[count, ...isLost]] = (await connection.runAndReadAll(`SELECT ${looks.join(', ')} FROM ${RESULT}`)).getRows()
  const bad = lost.find((_, i) => isLost[i] === true)
  if (bad) throw new ServiceError('usage', `column ${bad.column.name} has ${bad.lost!.what}`)
  const rowCount = Number(count)
  return {
    columns: readings.map(({ column }) => column),
    rowCount,
    rows: (limits) => rowsOf(connection, readings, rowCount, limits),
  }
}

async function* rowsOf(
  connection: DuckDBConnection,
  readings: Reading[],
  rowCount: number,
  { rowsMax, charactersMax }: RowLimits = { rowsMax: rowCount, charactersMax: Number.POSITIVE_INFINITY },
): AsyncGenerator<Rows> {
  const cut = ({ sql, kind }: Reading) =>
    kind === 'texts' && Number.isFinite(charactersMax) ? `left(${sql}, ${charactersMax})` : sql
  const result = await connection.stream(`SELECT ${readings.map(cut).join(', ')} FROM ${RESULT} LIMIT ${rowsMax}`)
  let n = 0
  for await (const chunk of result) {
    n += chunk.rowCount
    yield { n: chunk.rowCount, cells: readings.map(({ kind }, c) => cellsOf(chunk, c, kind)) }
  }
  // A streamed result may end early without an error.
  if (n !== Math.min(rowsMax, rowCount))
    throw new ServiceError('corrupt', 'the result of the query cannot be read completely')
}

function cellsOf(chunk: DuckDBDataChunk, index: number, kind: Kind): Cells {
  const given = chunk.getColumnValues(index)
  if (kind === 'flags')
    return { kind, values: Uint8Array.from(given, (value) => (value === null ? 2 : value === true ? 1 : 0)) }
  if (kind !== 'texts')
    return { kind, values: Float64Array.from(given, (value) => (value === null ? Number.NaN : Number(value))) }
  const places = new Map<string, number>()
  const indexes = Int32Array.from(given, (value) => {
    if (value === null) return -1
    const text = String(value)
    const place = places.get(text) ?? places.size
    places.set(text, place)
    return place
  })
  return { kind, dictionary: [...places.keys()], indexes }
}

/** Integer types that fit into a double, and whether they need more than 32 bits. */
const SMALL = new Map([
  ['TINYINT', false],
  ['SMALLINT', false],
  ['INTEGER', false],
  ['UTINYINT', false],
  ['USMALLINT', false],
  ['UINTEGER', true],
])
const LARGE = ['BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT']
const TEXTS = new Map<string, ColumnType>([
  ['UUID', 'uuid'],
  ['JSON', 'json'],
])
/** Number of digits that a double can always hold. */
const DIGITS = 15
const WHOLE_MAX = 2 ** 53 - 1

function readingOf(name: string, type: string): Reading {
  const own = `"${name.replaceAll('"', '""')}"`
  const of = (type: ColumnType, more: Partial<Column> = {}) => column(name, type, '', name, null, more)
  const [, digits] = /^DECIMAL\((\d+),\d+\)$/.exec(type) ?? []
  if (type === 'BOOLEAN') return { column: of('boolean'), sql: own, kind: 'flags' }
  if (SMALL.has(type)) {
    const isLarge = SMALL.get(type)
    return { column: of('int', { isLarge }), sql: `${own}::DOUBLE`, kind: 'wholes' }
  }
  if (LARGE.includes(type)) {
    const lost = { condition: `${own} NOT BETWEEN -${WHOLE_MAX} AND ${WHOLE_MAX}`, what: tooLong(name) }
    return { column: of('int', { isLarge: true }), sql: `${own}::DOUBLE`, kind: 'wholes', lost }
  }
  if (digits !== undefined) {
    const isExact = Number(digits) <= DIGITS
    const lost = { condition: `${own}::DOUBLE::${type} <> ${own}`, what: tooLong(name) }
    return { column: of('number'), sql: `${own}::DOUBLE`, kind: 'exact', ...(isExact ? {} : { lost }) }
  }
  if (type === 'DOUBLE' || type === 'FLOAT') {
    const what = `an infinite number: nullif(${name}, 'inf') leaves it out`
    return { column: of('number'), sql: `${own}::DOUBLE`, kind: 'exact', lost: { condition: `isinf(${own})`, what } }
  }
  if (/[[(]/.test(type) && !type.startsWith('ENUM'))
    return { column: of('json'), sql: `to_json(${own})::VARCHAR`, kind: 'texts' }
  const textType = TEXTS.get(type) ?? 'string'
  return { column: of(textType, { isGuarded: textType === 'string' }), sql: `${own}::VARCHAR`, kind: 'texts' }
}

function tooLong(name: string): string {
  return `a number of more digits than files hold exactly: cast it, as in ${name}::VARCHAR`
}
