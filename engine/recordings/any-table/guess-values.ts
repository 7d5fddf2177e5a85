import { makeDraft } from '../draft/draft.ts'
import type { Mapping } from '../reader/mapping.ts'
import { tableHead } from '../text/foreign-table.ts'
import { holdsInstants, openInstants } from '../text/instants.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellNumber, repeatedText, type TableRows } from '../text/table-rows.ts'
import { type AxisPair, eyeSideOf, numberedAs, plainName } from './column-names.ts'
import { type AxisCode, type Code, openCodes } from './evidence/loss.ts'
import type { GuessedColumns } from './guess-columns.ts'
import { openRowFilter } from './row-filter.ts'

/** Facts about the columns of a whole table, from their values. */
export type TableValues = {
  rows: number
  /** First rows of tests, on the clock of the table: number of tests, and the time furthest from 0. */
  tests: number
  furthestFirst: number
  /** Number of times that the clock went back within a test. */
  restarts: number
  /** Rows with a code for lost gaze in both x and y of an eye. */
  codes: Code[]
  /** Codes for lost gaze in one axis alone. */
  axisCodes: AxisCode[]
  /** Values of all eyes together. */
  x: AxisValues
  y: AxisValues
  mouse: { x: AxisValues; y: AxisValues }
  mouseCodes: Code[]
  /** Texts in the eye column, if most tests have the same two. */
  eyesOfRows: string[]
  /** Texts by column, with the number of rows with and without gaze for each. */
  validity: Map<number, Map<string, { seen: number; lost: number }>>
}

/** Values of one axis other than codes for lost gaze. */
type AxisValues = {
  n: number
  min: number
  max: number
  negative: number
  small: number
  near: number
  whole: number
}

/** Largest number of distinct texts in a validity column. */
const TEXTS_MAX = 8
/** Largest number of tests that are counted; beyond it, the number does not matter. */
const TESTS_MAX = 100_000
/** Upper bound of fractions of the screen, with some margin. */
const SMALL = 2
/** Angle from the middle of the screen, in degrees, beyond which no gaze is expected. */
const NEAR = 60

/** Reads every row of a table, in bounded memory. */
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
    codes: [],
    axisCodes: [],
    x: emptyAxis(),
    y: emptyAxis(),
    mouse: { x: emptyAxis(), y: emptyAxis() },
    mouseCodes: [],
    eyesOfRows: [],
    validity: new Map(columns.validity.map((column) => [column, new Map()])),
  }
  const { onRow, end } = openValues(file, columns, only, values)
  await forEachRow(file, makeDraft(''), onRow)
  end()
  return values
}

function emptyAxis(): AxisValues {
  return {
    n: 0,
    min: Number.POSITIVE_INFINITY,
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
): { onRow: (rows: TableRows) => void; end: () => void } {
  const { header, rows: first, decimalMark } = tableHead(file)!
  const { eyes, mouse } = columns
  const number = (rows: TableRows, cell: number) => cellNumber(rows, cell, decimalMark)
  const isInstant = columns.time >= 0 && holdsInstants(first, columns.time)
  const timeOf = isInstant ? openInstants(columns.time) : (rows: TableRows) => number(rows, columns.time)
  const keys = [columns.participant, columns.item, columns.trial].map(repeatedText)
  const texts = columns.validity.map((column) => {
    const text = repeatedText(column)
    // A column without an eye belongs to the first.
    const named = eyeOf(plainName(header[column]), eyes)
    const eye = named ?? eyes.find((one) => numberedAs(one, eyes, columns.validity, header) === column)
    return { column, text, eye: Math.max(0, eyes.indexOf(eye!)) }
  })
  const seen = new Set<string>()
  const [codes, mouseCodes] = [openCodes(), openCodes()]
  const eyesOfRows = openEyes()
  const eyeText = repeatedText(columns.eye)
  const isLost = eyes.map(() => true)
  let last: string[] = []
  let key = ''
  let lastTime = Number.NaN
  const isSample = openRowFilter(header, only)
  const onRow = (rows: TableRows) => {
    if (!isSample(rows)) return
    values.rows++
    const t = timeOf(rows)
    if (!Number.isNaN(t)) {
      if (keys.some((text, i) => text(rows) !== last[i])) {
        last = keys.map((text) => text(rows))
        key = JSON.stringify(last)
        addTest(key, t, seen, values)
      } else if (t < lastTime) values.restarts++
      lastTime = t
    }
    if (columns.eye >= 0) eyesOfRows.add(key, eyeText(rows))
    if (mouse !== null)
      addPlace(values.mouse, number(rows, mouse.x), number(rows, mouse.y), (x, y) => mouseCodes.add(x, y, values.rows))
    for (const [i, eye] of eyes.entries())
      isLost[i] = !addPlace(values, number(rows, eye.x), number(rows, eye.y), (x, y) => codes.add(x, y, values.rows))
    if (eyes.length > 0)
      for (const { column, text, eye } of texts) countText(values.validity, column, text(rows), isLost[eye])
  }
  return {
    onRow,
    end: () => {
      values.codes = codes.found()
      values.axisCodes = codes.foundInOne()
      // Keep equal pairs only: any other position off the screen may be a mouse on another screen.
      values.mouseCodes = mouseCodes.found().filter(({ x, y }) => x === y)
      values.eyesOfRows = eyesOfRows.found()
    },
  }
}

/** Returns the eye of a validity column, by its name. */
function eyeOf(name: string, eyes: AxisPair[]): AxisPair | undefined {
  const side = eyeSideOf({ stem: name })
  return side === null ? undefined : eyes.find((eye) => eyeSideOf(eye) === side)
}

/** Adds a position to the values of its axes unless it is lost, and returns whether it was. */
function addPlace(
  axes: { x: AxisValues; y: AxisValues },
  x: number,
  y: number,
  isLost: (x: number, y: number) => boolean,
): boolean {
  if (isLost(x, y)) return false
  addValue(axes.x, x)
  addValue(axes.y, y)
  return true
}

/** Largest number of tests whose eyes are examined. */
const EYED_TESTS_MAX = 10_000

/** Detects whether each test has rows of two eyes, one row per eye. */
function openEyes() {
  const byTest = new Map<string, Set<string>>()
  return {
    add: (key: string, eye: string): void => {
      const eyes = byTest.get(key) ?? new Set()
      if (eyes.size === 0 && byTest.size < EYED_TESTS_MAX) byTest.set(key, eyes)
      if (eyes.size < 3) eyes.add(eye)
    },
    found: (): string[] => {
      const both = [...byTest.values()].filter((eyes) => eyes.size === 2 && [...eyes].every((eye) => eye !== ''))
      const first = [...(both[0] ?? [])].sort()
      const isSame = both.every((eyes) => first.every((eye) => eyes.has(eye)))
      return isSame && 2 * both.length > byTest.size ? first : []
    },
  }
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
  if (value < axis.min) axis.min = value
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
