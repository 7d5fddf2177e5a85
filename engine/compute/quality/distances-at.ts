import type { ScreenGeometry } from './degrees.ts'
import { floats } from './scratch.ts'

/** Time before and after, within which distances count. */
const AROUND_US = 250_000

/** Recorded distances around a time: those from `first` to `next`, whose values the window has in ascending order. */
type Around = { first: number; next: number; window: Float64Array }

/**
 * Returns the distance of the eye at each time (docs/metrics.md, "Degrees and exact times"): the median of those that
 * were recorded at most 250 ms before or after it, of the middle two the mean; without any, the distance of the test.
 *
 * @param tUs n times, fastest if ascending
 * @returns n distances in cm
 */
export function distancesAt({ distanceCm, distances }: ScreenGeometry, tUs: Float64Array, n: number): Float64Array {
  const cm = floats(n).fill(distanceCm)
  if (distances === undefined) return cm
  const { tUs: known, mm } = distances
  const around: Around = { first: 0, next: 0, window: windowOf(known.length) }
  for (let i = 0; i < n; i++) {
    if (i > 0 && tUs[i] < tUs[i - 1]) around.first = around.next = firstFrom(known, tUs[i] - AROUND_US)
    while (around.next < known.length && known[around.next] <= tUs[i] + AROUND_US) enter(around, mm)
    while (around.first < around.next && known[around.first] < tUs[i] - AROUND_US) leave(around, mm)
    const count = around.next - around.first
    if (count === 0) continue
    const middle = count >> 1
    const { window } = around
    cm[i] = (count % 2 === 1 ? window[middle] : (window[middle - 1] + window[middle]) / 2) / 10
  }
  return cm
}

function enter(around: Around, mm: Float64Array): void {
  const { first, next, window } = around
  const count = next - first
  const at = placeOf(window, count, mm[next])
  window.copyWithin(at + 1, at, count)
  window[at] = mm[next]
  around.next++
}

function leave(around: Around, mm: Float64Array): void {
  const { first, next, window } = around
  const at = placeOf(window, next - first, mm[first])
  window.copyWithin(at, at + 1, next - first)
  around.first++
}

/** Returns the place of the first of the ascending values that is not less. */
function placeOf(window: Float64Array, count: number, value: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (window[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}

function firstFrom(tUs: Float64Array, fromUs: number): number {
  return placeOf(tUs, tUs.length, fromUs)
}

let scratch = new Float64Array(1024)

/** Returns scratch memory of a thread; a window may contain all distances of a test. */
function windowOf(length: number): Float64Array {
  if (scratch.length < length + 1) scratch = new Float64Array(2 * length + 1)
  return scratch
}
