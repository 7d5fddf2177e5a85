import { type TimeUnit, UNIT_MS, unitOfStep } from '../../../../isomorphic/time-unit.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import { plainName } from './column-names.ts'
import type { GuessedColumns } from './guess-columns.ts'
import type { TableValues } from './guess-values.ts'
import type { TableFacts } from './table-facts.ts'

/** Guesses the unit of times, and whether they restart at each item's onset or run on across tests. */
export function guessTime(
  { header, rows, decimalMark }: TableHead,
  { time }: GuessedColumns,
  { tests, furthestFirst, restarts }: TableValues,
  facts: TableFacts,
): { unit: TimeUnit | 'iso'; origin: 'first' | 'item'; doubts: string[] } {
  const isInstant = time >= 0 && facts.isInstant(time)
  const times = time < 0 || isInstant ? [] : rows.map((cells) => numberIn(cells[time] ?? '', decimalMark))
  const name = time < 0 ? '' : plainName(header[time])
  const unit = isInstant ? 'iso' : unitOfTime(name, facts.usualStep(time) ?? usualOf(times))
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
  return { unit, origin, doubts }
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
