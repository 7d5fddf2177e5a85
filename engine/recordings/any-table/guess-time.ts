import { isMissing } from '../../../isomorphic/missing-text.ts'
import { type TimeUnit, UNIT_MS, unitOfStep } from '../../../isomorphic/time-unit.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import { plainName } from './column-names.ts'
import type { GuessedColumns } from './guess-columns.ts'
import type { TableValues } from './guess-values.ts'
import type { TableFacts } from './table-facts.ts'

/**
 * Guesses the unit of times, and whether they restart at each item's onset or run on across tests.
 *
 * @param valid what calls positions of the first eye valid: others may jump
 * @returns why: the reason for which the column is no time in a unit that a mapping knows; '' if it is
 */
export function guessTime(
  { header, rows, decimalMark }: TableHead,
  { time, eyes }: GuessedColumns,
  { tests, furthestFirst, restarts }: TableValues,
  facts: TableFacts,
  valid: Mapping['gaze'][number]['valid'],
): { unit: TimeUnit | 'iso'; origin: 'first' | 'item'; why: string; doubts: string[] } {
  const isInstant = time >= 0 && facts.isInstant(time)
  const times = time < 0 || isInstant ? [] : rows.map((cells) => numberIn(cells[time] ?? '', decimalMark))
  const name = time < 0 ? '' : plainName(header[time])
  const unit = isInstant ? 'iso' : unitOfTime(name, facts.usualStep(time) ?? usualOf(times))
  // Rows of several people may alternate: positions then jump, whatever the clock.
  const isJumping = eyes.length > 0 && facts.verdict(eyes[0], time) === 'noise'
  const speed = time < 0 || eyes.length === 0 || isJumping ? 0 : facts.speed(eyes[0], time, valid)
  const why =
    time < 0 || isInstant
      ? ''
      : whyNoNumber(header[time], rows, time, times) ||
        whyNoTime(header[time], { times, unit: unit as TimeUnit, speed })
  const isOfRecording = /recording|device|system|world|gaze_time/.test(name)
  const isNear = unit !== 'iso' && furthestFirst * UNIT_MS[unit] < 1000
  const origin = isNear && !isOfRecording ? 'item' : 'first'
  const doubts: string[] = []
  const repeated = times.slice(1).filter((t, i) => t === times[i]).length
  if (2 * repeated > times.length)
    doubts.push(
      `${header[time]} is the same in most rows as in the row before, so that no fixation can be found: name a finer clock, or put the parts of one together`,
    )
  if (origin === 'first')
    doubts.push(
      tests > 1
        ? "times run on from one test to the next: an item's onset is taken to be its first sample"
        : "times do not begin at 0: an item's onset is taken to be its first sample",
    )
  if (restarts > 0)
    doubts.push(
      `times go back ${restarts} times within a test: name the column that tells participants, items or trials apart`,
    )
  return { unit, origin, why, doubts: why === '' ? doubts : [why] }
}

/** Ranges of today's times in ticks of 100 ns, as Windows and .NET count them. */
const TICKS = [
  [1.2e17, 1.45e17],
  [6.2e17, 6.5e17],
]
/** Speed that no eye reaches, in shares of a screen per ms: some 2,500 degrees a second. */
const SPEED_MOST = 0.06
/** Longest sampling interval of a clock that counts µs, in µs. */
const SLOW_US = 45_000

/** Says that a column has texts that are neither numbers nor dates; '' if it has none. */
function whyNoNumber(name: string, rows: string[][], at: number, times: number[]): string {
  const text = rows.map((cells) => (cells[at] ?? '').trim()).find((cell) => !isMissing(cell))
  if (text === undefined || times.some((time) => !Number.isNaN(time))) return ''
  return `${name} holds ${JSON.stringify(text.slice(0, 40))}, which is no number, nor a date and time such as 2024-03-01 10:00:00.016: write it as one`
}

/** Says why numbers are no times in a unit that a mapping knows; '' if they are. */
function whyNoTime(name: string, { times, unit, speed }: { times: number[]; unit: TimeUnit; speed: number }): string {
  const known = times.filter((time) => !Number.isNaN(time))
  const all = (is: (time: number) => boolean) => known.length > 0 && known.every(is)
  const rest = 'make milliseconds of it first'
  if (all(isCompactDate)) return `${name} is a date and time in one number, such as 20240301100000: ${rest}`
  const isTick = all((time) => TICKS.some(([least, most]) => time >= least && time <= most))
  if (isTick || (unit === 'us' && (/tick/i.test(name) || usualOf(times) >= SLOW_US)))
    return `${name} advances as ticks of 100 ns do: ${rest}`
  if (/(^|_)(min|minutes?)$/.test(plainName(name))) return `${name} is in minutes: ${rest}`
  if (/(^|_)(cs|centiseconds?|jiff(y|ies))$/.test(plainName(name)))
    return `${name} is in no unit that is known: ${rest}`
  if (speed > SPEED_MOST)
    return `by ${name} in ${unit}, gaze moves faster than eyes do: it counts rows, or is in another unit; ${rest}`
  return ''
}

/** Returns whether a number is a date and a time, digit by digit, from the year to the second or beyond. */
function isCompactDate(time: number): boolean {
  return /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d\d{0,3}(\.|$)/.test(String(time))
}

/**
 * Returns the unit in which the sampling interval is that of a tracker; where there is none, or none is known, the unit
 * in the column's name.
 */
function unitOfTime(name: string, step: number): TimeUnit {
  const byStep = unitOfStep(step)
  if (byStep !== null) return byStep
  const named = /(?:^|_)(s|sec|secs|seconds?|sekunden|ms|msec|milliseconds?|us|ns)$/.exec(name)?.[1]
  if (named) return named.startsWith('m') ? 'ms' : named.startsWith('u') ? 'us' : named.startsWith('n') ? 'ns' : 's'
  return step < 0.45 ? 's' : step < 450 ? 'ms' : step < 450_000 ? 'us' : 'ns'
}

/** Step of times about which nothing is known. */
const ASSUMED_STEP = 16

function usualOf(times: number[]): number {
  const steps = times.slice(1).map((time, i) => time - times[i])
  const usual = steps.filter((step) => step > 0).sort((a, b) => a - b)
  return usual[usual.length >> 1] ?? ASSUMED_STEP
}
