import { FIXATION_COLUMNS, type Fixations } from './fixation-list.ts'

/** A time window from item onset, in whole µs, half-open. */
export type TimeWindow = { fromUs: number; toUs: number }

/** Time window from the first sample to the last. */
export const ALL_TIME: TimeWindow = { fromUs: Number.NEGATIVE_INFINITY, toUs: Number.POSITIVE_INFINITY }

/**
 * Returns the window of times whose printed value, in whole ms, is at least `fromMs` and less than `toMs`.
 *
 * @param fromMs, toMs undefined for no limit
 */
export function windowOf(fromMs: number | undefined, toMs: number | undefined): TimeWindow {
  const { fromUs, toUs } = ALL_TIME
  return {
    fromUs: fromMs === undefined ? fromUs : fromMs * 1000 - 500,
    toUs: toMs === undefined ? toUs : toMs * 1000 - 500,
  }
}

export function isWithinTime(tUs: number, { fromUs, toUs }: TimeWindow): boolean {
  return tUs >= fromUs && tUs < toUs
}

/** Returns the index of the first of n ascending times that is not before another. */
export function firstAt(tUs: Float64Array, n: number, fromUs: number): number {
  let [low, high] = [0, n]
  while (low < high) {
    const middle = (low + high) >> 1
    if (tUs[middle] < fromUs) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Filters fixations that begin in a window, in place. The first one then has no saccade, since it would come from a
 * fixation outside the window.
 *
 * @param fixations of a test, in order of time
 * @returns number of fixations before the first remaining one
 */
export function keepWithin(fixations: Fixations, window: TimeWindow): number {
  const { startUs, n } = fixations
  let first = 0
  while (first < n && startUs[first] < window.fromUs) first++
  let end = first
  while (end < n && startUs[end] < window.toUs) end++
  fixations.n = end - first
  if (first === 0) return 0
  for (const name of FIXATION_COLUMNS) fixations[name].copyWithin(0, first, end)
  fixations.hasSaccade[0] = 0
  fixations.saccadeAmplitudePercent[0] = Number.NaN
  fixations.saccadeLengthPx[0] = Number.NaN
  return first
}
