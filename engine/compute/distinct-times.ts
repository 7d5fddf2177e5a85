import type { Gaze, Samples } from './gaze.ts'

/** The distinct times of a test's samples from onset on, lost ones too, ascending: arrays of length n. */
export type DistinctTimes = {
  n: number
  tUs: Float64Array
  /** The gaze point at that time; -1 where all samples of it are lost. */
  point: Int32Array
}

/** Returns the distinct times of a test's samples, with the points of its gaze that stand there. */
export function distinctTimes({ tUs }: Samples, gaze: Gaze): DistinctTimes {
  const times = fromOnset(tUs)
  if (!isAscending(times)) times.sort()
  let n = 0
  for (let i = 0; i < times.length; i++) if (i === 0 || times[i] !== times[i - 1]) times[n++] = times[i]
  const point = new Int32Array(n).fill(-1)
  for (let i = 0, p = 0; i < n; i++) {
    while (p < gaze.n && (gaze.isInterpolated[p] === 1 || gaze.tUs[p] < times[i])) p++
    if (p < gaze.n && gaze.tUs[p] === times[i]) point[i] = p
  }
  return { n, tUs: times, point }
}

/** Returns a copy of the times that are not before the onset. */
function fromOnset(tUs: Float64Array): Float64Array {
  const times = new Float64Array(tUs.length)
  let n = 0
  for (let i = 0; i < tUs.length; i++) if (tUs[i] >= 0) times[n++] = tUs[i]
  return times.subarray(0, n)
}

function isAscending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if (times[i] < times[i - 1]) return false
  return true
}
