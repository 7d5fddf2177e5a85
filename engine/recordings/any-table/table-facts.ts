import { isMissing } from '../../../isomorphic/missing-text.ts'
import { UNIT_MS, unitOfStep } from '../../../isomorphic/time-unit.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { holdsInstants, instantIn } from '../text/instants.ts'
import { numberIn } from '../text/parse-number.ts'
import type { AxisPair } from './column-names.ts'
import { clockEvidence, isLikeClock } from './evidence/clock.ts'
import type { Code } from './evidence/loss.ts'
import { type Movement, movementOf } from './evidence/movement.ts'
import { findNames, PICTURE_ENDING, ROWS_LEAST, type RunTimes } from './evidence/names-of-tests.ts'
import { areTwoEyes, findGaze } from './evidence/pairing.ts'
import { positionsOf, type SampledPositions, type Times, timesOf } from './evidence/positions.ts'
import type { Sample } from './evidence/sample.ts'
import { findStuckCodes } from './evidence/stuck-codes.ts'
import { hidesPositions, leastValid, missesOf, validTexts } from './evidence/validity.ts'
import { verdictOf } from './evidence/verdict.ts'
import type { ColumnFacts } from './guess-columns.ts'

type Valid = Mapping['gaze'][number]['valid']
type ValidTexts = { values: string[] } | { least: number }

/** Facts about the columns of a table, and how positions in two of them move. */
export type TableFacts = ColumnFacts & {
  positions: (pair: AxisPair, time: number) => SampledPositions
  movement: (pair: AxisPair, time: number) => Movement
  /** Returns the speed of saccades, as `Movement` has it, by the positions that are valid. */
  speed: (pair: AxisPair, time: number, valid: Valid) => number
  /** Returns the usual step of a clock; null if the column is not one. */
  usualStep: (time: number) => number | null
  /**
   * Returns what in a column means valid, if it calls positions invalid that look like others, and the number of rows
   * in which it does not agree with them.
   */
  validity: (column: number, pair: AxisPair, time: number) => { valid: ValidTexts; misses: number } | null
  /** Returns the positions that mark lost gaze by how they come again and again. */
  stuckCodes: (pair: AxisPair, time: number) => Code[]
}

/**
 * Least mean length of runs of filled cells for which a column may name somebody although most rows are empty; markers
 * stand alone.
 */
const RUN_LEAST = 3

/** Returns facts from the values of columns: from the first rows, and from those of the sample. */
export function factsOf(table: TableHead, sample: Sample): TableFacts {
  const clocks = openClocks(sample)
  return { ...valueFacts(table, sample), ...clocks, ...movementFacts(table, sample, clocks) }
}

/** Returns what single columns hold. */
function valueFacts(table: TableHead, sample: Sample) {
  const { rows, decimalMark } = table
  return {
    isNumber: (at: number) => holdsNumbers(table, at),
    isInstant: (at: number) => holdsInstants(rows, at),
    isFilled: (at: number) => isFilled(rows.map((cells) => !isMissing((cells[at] ?? '').trim()))),
    most: (at: number) => rows.reduce((most, cells) => Math.max(most, numberIn(cells[at] ?? '', decimalMark) || 0), 0),
    advance: (at: number) => advanceOf(table, at),
    isInBlocks: (at: number) => {
      const values = sample.runs.labels.find(({ column }) => column === at)?.values ?? []
      const blocks = values.filter((value, i) => value !== values[i - 1]).length
      return blocks > 1 && blocks === new Set(values).size
    },
    filesIn: (at: number) => {
      const texts = (sample.columns[at]?.texts ?? []).map((text) => text.trim()).filter((text) => !isMissing(text))
      // A name for each row, as of the frames of a video, names no item.
      const areSome = texts.length * ROWS_LEAST <= sample.n
      return areSome && texts.every((text) => PICTURE_ENDING.test(text)) ? texts.length : 0
    },
    isEmpty: (at: number) => sample.n > 0 && sample.columns[at].texts.every((text) => text === ''),
    isFlat: (at: number) =>
      sample.n > 0 && sample.columns[at].numbers.every((value) => Number.isNaN(value) || value === 0),
  }
}

/** Returns how positions in two columns move in the time of a third. */
function movementFacts({ header }: TableHead, sample: Sample, clocks: ReturnType<typeof openClocks>) {
  const movements = new Map<string, Movement>()
  const times = new Map<number, Times>()
  const timesBy = (time: number) => {
    if (!times.has(time)) times.set(time, timesOf(sample, time, clocks.unitMs(time)))
    return times.get(time)!
  }
  const positions = ({ x, y }: AxisPair, time: number) => positionsOf(sample, timesBy(time), x, y)
  const movement = (pair: AxisPair, time: number) => {
    const key = `${pair.x} ${pair.y} ${time}`
    if (!movements.has(key)) movements.set(key, movementOf(positions(pair, time)))
    return movements.get(key)!
  }
  return {
    ...{ positions, movement },
    speed: (pair: AxisPair, time: number, valid: Valid) => {
      if (valid === null) return movement(pair, time).speed
      return validMovement(positions(pair, time), sample.columns[header.indexOf(valid.column)], valid).speed
    },
    isUnhurried: (pair: AxisPair, time: number) => {
      const { speed, fixationsPerSecond: rate } = movement(pair, time)
      return speed <= USUAL_SPEED && rate <= USUAL_FIXATIONS
    },
    validity: (at: number, pair: AxisPair, time: number) => validityOf(sample.columns[at], positions(pair, time)),
    stuckCodes: ({ x, y }: AxisPair, time: number) =>
      findStuckCodes(sample.columns[x].numbers, sample.columns[y].numbers, timesBy(time).isStart),
    verdict: (pair: AxisPair, time: number) => verdictOf(movement(pair, time)),
    areTwoEyes: (one: AxisPair, other: AxisPair, time: number) =>
      areTwoEyes(positions(one, time), positions(other, time)),
    findGaze: (time: number, taken: number[]) => findGaze(sample, timesBy(time), taken),
    findNames: (time: number, taken: number[]) => findNames(sample.runs, taken, clocks.longest(time)),
  }
}

type Column = Sample['columns'][number]

/** Returns how those positions move that a column calls valid. */
function validMovement(own: SampledPositions, { codes, texts, numbers }: Column, valid: NonNullable<Valid>): Movement {
  const isValid = (i: number) =>
    'least' in valid ? numbers[i] >= valid.least : valid.values.includes(texts[codes[i]] ?? '')
  const only = (values: Float64Array) => values.map((value, i) => (isValid(i) ? value : Number.NaN))
  return movementOf({ ...own, x: only(own.x), y: only(own.y) })
}

function validityOf(column: Column, own: SampledPositions): { valid: ValidTexts; misses: number } | null {
  const values = validTexts(column, own)
  if (values !== null) {
    const misses = missesOf((i) => values.includes(column.texts[column.codes[i]]), own)
    return hidesPositions(column, own, values) ? { valid: { values }, misses } : null
  }
  const least = leastValid(column, own)
  return least === null ? null : { valid: { least }, misses: missesOf((i) => column.numbers[i] >= least, own) }
}

/** Judges columns as clocks. */
function openClocks(sample: Sample) {
  const known = sample.columns.map((column) => clockEvidence(column, sample))
  const unitMs = (at: number) => {
    const unit = at < 0 ? null : unitOfStep(known[at].usual)
    return unit === null ? 1 : UNIT_MS[unit]
  }
  const runTimes = (at: number): RunTimes | null => {
    const found = sample.runs.clocks.find(({ column }) => column === at)
    if (found === undefined) return null
    const ms = (values: Float64Array) => values.map((value) => value * unitMs(at))
    return { first: ms(found.first), last: ms(found.last), stepMs: known[at].usual * unitMs(at) }
  }
  /** Returns the times of a clock that runs on, if there is one, since it tells more than one that begins anew. */
  const longest = (time: number): RunTimes | null => {
    const own = runTimes(time)
    if (!startsAnew(own)) return own
    const others = sample.runs.clocks.filter(({ column }) => isLikeClock(known[column]) && !known[column].isCount)
    return others.map(({ column }) => runTimes(column)).find((times) => !startsAnew(times)) ?? own
  }
  return {
    unitMs,
    longest,
    usualStep: (at: number) => (at >= 0 && isLikeClock(known[at]) ? known[at].usual : null),
    isClock: (at: number) => isLikeClock(known[at]),
    isCount: (at: number) => known[at].isCount,
    startsAnew: (at: number) => startsAnew(runTimes(at)),
    isSteady: (at: number) => known[at].falls <= STEADY_FALLS && known[at].even >= STEADY_EVEN,
    isLateCount: (at: number) => known[at].isCount && sample.columns[at].numbers[0] >= LATE_COUNT,
  }
}

/** Largest share of steps back, and least share of even ones, of a steady clock. */
const [STEADY_FALLS, STEADY_EVEN] = [0.01, 0.9]
/** Least first ms of a tracker that was switched on before; rows are counted from 0 or 1. */
const LATE_COUNT = 100_000
/** Speed of saccades, in screens per ms, and fixations a second that twice the rate of sampling would exceed. */
const [USUAL_SPEED, USUAL_FIXATIONS] = [0.03, 4.5]

/** Largest time of a first row, in ms, for which a clock counts from the onset of its test. */
const ONSET_MOST_MS = 1000

/** Returns whether a clock goes back near to 0 again and again. */
function startsAnew(times: RunTimes | null): boolean {
  if (times === null) return false
  const { first, last } = times
  const isNear = (i: number) => Math.abs(first[i]) <= ONSET_MOST_MS
  const backs = [...first.keys()].filter((i) => i > 0 && first[i] < last[i - 1])
  return first.length > 0 && isNear(0) && backs.length > 0 && backs.every(isNear)
}

function advanceOf({ rows, decimalMark }: TableHead, at: number): number {
  const read = holdsInstants(rows, at) ? instantIn : (text: string) => numberIn(text, decimalMark)
  const times = rows.map((cells) => read(cells[at] ?? '')).filter((time) => !Number.isNaN(time))
  return times.length < 2 ? 1 : times.filter((time, i) => i > 0 && time > times[i - 1]).length / (times.length - 1)
}

function isFilled(cells: boolean[]): boolean {
  const filled = cells.filter(Boolean).length
  const runs = cells.filter((cell, i) => cell && !cells[i - 1]).length
  return 2 * filled >= cells.length || filled === 0 || filled >= RUN_LEAST * runs
}

/** Returns whether a column has a number in any row, or is empty throughout. */
function holdsNumbers({ rows, decimalMark }: TableHead, at: number): boolean {
  const texts = rows.map((cells) => (cells[at] ?? '').trim()).filter((text) => text !== '')
  return texts.length === 0 || texts.some((text) => !Number.isNaN(numberIn(text, decimalMark)))
}
