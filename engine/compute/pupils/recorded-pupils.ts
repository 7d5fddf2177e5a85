import type { Samples } from '../gaze.ts'
import type { RecordedPupils } from './pupil.ts'

/**
 * Returns a test's pupil sizes at distinct times in ascending order: docs/pupils.md, step 1. Null if there are none.
 */
export function recordedPupils({ n, tUs, eyes = {} }: Samples): RecordedPupils | null {
  const { leftPupil = lost(n), rightPupil = lost(n) } = eyes
  if (!hasSize(leftPupil, n) && !hasSize(rightPupil, n)) return null
  if (isAscending(tUs, n)) return { n, tUs, left: leftPupil, right: rightPupil }
  const byTime = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => tUs[a] - tUs[b] || a - b)
  const times = Float64Array.from(byTime, (i) => tUs[i])
  const [left, right] = [new Float64Array(n), new Float64Array(n)]
  let distinct = 0
  for (let i = 0; i < n; ) {
    let end = i + 1
    while (end < n && times[end] === times[i]) end++
    left[distinct] = meanOf(leftPupil, byTime, i, end)
    right[distinct] = meanOf(rightPupil, byTime, i, end)
    times[distinct++] = times[i]
    i = end
  }
  return { n: distinct, tUs: times, left, right }
}

function lost(n: number): Float64Array {
  return new Float64Array(n).fill(Number.NaN)
}

function hasSize(size: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) if (!Number.isNaN(size[i])) return true
  return false
}

function isAscending(tUs: Float64Array, n: number): boolean {
  for (let i = 1; i < n; i++) if (!(tUs[i] > tUs[i - 1])) return false
  return true
}

/** Returns the mean of the available sizes in a range of ordered samples; NaN if there are none. */
function meanOf(size: Float64Array, order: Int32Array, start: number, end: number): number {
  let [sum, count] = [0, 0]
  for (let i = start; i < end; i++) {
    if (Number.isNaN(size[order[i]])) continue
    sum += size[order[i]]
    count++
  }
  return sum / count
}
