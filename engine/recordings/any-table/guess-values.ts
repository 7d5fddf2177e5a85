import { makeDraft } from '../bundle/draft.ts'
import type { Mapping } from '../reader/mapping.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellNumber, isEmptyCell, type Rows, repeatedText } from '../text/table-rows.ts'
import { type GuessedColumns, type Pair, plainName, sideOf } from './guess-columns.ts'

/** Numbers that trackers write for a lost gaze, in both x and y. */
const LOST_CODES = [0, -1, -9999, 9999, -99999, -32768, 1e8]

/** Facts about the columns of a whole table, from their values. */
export type TableValues = {
  rows: number
  /** First rows of tests, on the clock of the table: how many tests, and the furthest from 0. */
  tests: number
  furthestFirst: number
  /** Times that the clock went back within a test. */
  restarts: number
  /** Rows with a code for lost gaze in both x and y of the first eye, by code. */
  codes: Map<number, number>
  x: AxisValues
  y: AxisValues
  /** Texts by column, and how many rows with and without gaze have each. */
  validity: Map<number, Map<string, { seen: number; lost: number }>>
}

/** Values of one axis that are no lost codes. */
export type AxisValues = {
  n: number
  max: number
  negative: number
  small: number
  near: number
  whole: number
}

/** The most different texts of a column that marks validity. */
const TEXTS_MAX = 8
/** Tests that are counted; beyond it the number does not matter. */
const TESTS_MAX = 100_000
/** Fractions of the screen, and somewhat beyond it. */
const SMALL = 2
/** Degrees from the middle of a screen beyond which no gaze is expected. */
const NEAR = 60

/** Looks at every row of a table, in bounded memory. */
export async function readTableValues(
  file: SourceFile,
  columns: GuessedColumns,
  only: Mapping['rows'],
): Promise<TableValues> {
  const values: TableValues = {
    rows: 0,
    tests: 0,
    furthestFirst: 0,
    restarts: 0,
    codes: new Map(),
    x: emptyAxis(),
    y: emptyAxis(),
    validity: new Map(columns.validity.map((column) => [column, new Map()])),
  }
  const onRow = openValues(file, columns, only, values)
  const rows = await openTableBody(file, makeDraft(''))
  do {
    while (rows.next()) onRow(rows)
  } while (await rows.more())
  return values
}

function emptyAxis(): AxisValues {
  return {
    n: 0,
    max: Number.NEGATIVE_INFINITY,
    negative: 0,
    small: 0,
    near: 0,
    whole: 0,
  }
}

function openValues(
  file: SourceFile,
  columns: GuessedColumns,
  only: Mapping['rows'],
  values: TableValues,
): (rows: Rows) => void {
  const { header, decimalMark } = tableHead(file)!
  const number = (rows: Rows, cell: number) => cellNumber(rows, cell, decimalMark)
  const keys = [columns.participant, columns.item, columns.trial].map(repeatedText)
  const texts = columns.validity.map((column) => ({
    column,
    text: repeatedText(column),
    eye: eyeOf(plainName(header[column]), columns.eyes),
  }))
  const seen = new Set<string>()
  const [eye] = columns.eyes as (Pair | undefined)[]
  let last: string[] = []
  let lastTime = Number.NaN
  const kind = only === null ? -1 : columnIn(header, only.column)
  const kindText = repeatedText(kind)
  return (rows) => {
    if (only !== null && !(only.values === null ? !isEmptyCell(rows, kind) : only.values.includes(kindText(rows))))
      return
    values.rows++
    const t = number(rows, columns.time)
    if (!Number.isNaN(t)) {
      if (keys.some((text, i) => text(rows) !== last[i])) {
        last = keys.map((text) => text(rows))
        addTest(JSON.stringify(last), t, seen, values)
      } else if (t < lastTime) values.restarts++
      lastTime = t
    }
    if (eye === undefined) return
    const [x, y] = [number(rows, eye.x), number(rows, eye.y)]
    const code = x === y && LOST_CODES.includes(x) ? x : null
    const isLost = isLostAt(x, y)
    if (code !== null) values.codes.set(code, (values.codes.get(code) ?? 0) + 1)
    if (!isLost) {
      addValue(values.x, x)
      addValue(values.y, y)
    }
    for (const { column, text, eye: own } of texts) {
      const isOwnLost = own === undefined || own === eye ? isLost : isLostAt(number(rows, own.x), number(rows, own.y))
      countText(values.validity, column, text(rows), isOwnLost)
    }
  }
}

/** Returns the eye that a column of validity is of, by its name. */
function eyeOf(name: string, eyes: Pair[]): Pair | undefined {
  const side = sideOf({ stem: name })
  return side === null ? undefined : eyes.find((eye) => sideOf(eye) === side)
}

function isLostAt(x: number, y: number): boolean {
  return Number.isNaN(x) || Number.isNaN(y) || (x === y && LOST_CODES.includes(x))
}

function addTest(key: string, t: number, seen: Set<string>, values: TableValues): void {
  if (seen.has(key) || seen.size >= TESTS_MAX) return
  seen.add(key)
  values.tests++
  values.furthestFirst = Math.max(values.furthestFirst, Math.abs(t))
}

function addValue(axis: AxisValues, value: number): void {
  axis.n++
  if (value > axis.max) axis.max = value
  if (value < 0) axis.negative++
  if (Math.abs(value) <= SMALL) axis.small++
  if (Math.abs(value) <= NEAR) axis.near++
  if (Number.isInteger(value)) axis.whole++
}

function countText(validity: TableValues['validity'], column: number, text: string, isLost: boolean): void {
  const texts = validity.get(column)
  if (texts === undefined) return
  const counts = texts.get(text) ?? { seen: 0, lost: 0 }
  counts[isLost ? 'lost' : 'seen']++
  texts.set(text, counts)
  if (texts.size > TEXTS_MAX) validity.delete(column)
}
