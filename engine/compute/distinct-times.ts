import { type Gaze, pointOfSample, type Samples } from './gaze.ts'

/** Distinct times of a test's samples from onset on, including lost ones, ascending: arrays of length n. */
export type DistinctTimes = {
  n: number
  tUs: Float64Array
  /** Index of the gaze point at that time; -1 if all samples at that time are lost. */
  point: Int32Array
}

/** Returns the distinct times of a test's samples, with the gaze points at these times. */
export function distinctTimes({ tUs }: Samples, gaze: Gaze): DistinctTimes {
  let start = 0
  while (start < tUs.length && tUs[start] < 0) start++
  if (isAscending(tUs, start)) return timesOfSamples(tUs.subarray(start), gaze, start)
  const times = sortedTimes(tUs)
  const n = times.length
  const point = new Int32Array(n).fill(-1)
  for (let i = 0, p = 0; i < n; i++) {
    while (p < gaze.n && (gaze.isInterpolated[p] === 1 || gaze.tUs[p] < times[i])) p++
    if (p < gaze.n && gaze.tUs[p] === times[i]) point[i] = p
  }
  return { n, tUs: times, point }
}

/** Returns ascending times, each of one sample, with their points. @param start index of the first sample */
function timesOfSamples(tUs: Float64Array, gaze: Gaze, start: number): DistinctTimes {
  const n = tUs.length
  const point = new Int32Array(n)
  // Without points, the order of samples is that of another test.
  if (gaze.n === 0) point.fill(-1)
  else for (let i = 0; i < n; i++) point[i] = pointOfSample(gaze, start + i)
  return { n, tUs, point }
}

/** Returns true if times are strictly ascending from `start` on. */
function isAscending(tUs: Float64Array, start: number): boolean {
  for (let i = start + 1; i < tUs.length; i++) if (!(tUs[i] > tUs[i - 1])) return false
  return true
}

/** Returns the distinct times from onset on, ascending. */
function sortedTimes(tUs: Float64Array): Float64Array {
  const times = tUs.filter((t) => t >= 0).sort()
  let n = 0
  for (let i = 0; i < times.length; i++) if (i === 0 || times[i] !== times[i - 1]) times[n++] = times[i]
  return times.subarray(0, n)
}
