import { medianOf } from '../order-statistics.ts'
import { type CleanEye, cleanEye, createCleanEye, GAP_US, type PupilSettings } from './clean-eye.ts'

/** Eyes whose pupil sizes are used. */
export type PupilEye = 'left' | 'right' | 'both' | 'either'

/** Codes of the eyes that contribute to a size. */
export const OF_NONE = 0
const OF_LEFT = 1
const OF_RIGHT = 2
const OF_BOTH = 3

/** Recorded sizes of both pupils, at distinct times in ascending order: NaN for lost, length n. */
export type RecordedPupils = { n: number; tUs: Float64Array; left: Float64Array; right: Float64Array }

/** Pupil of a test: columns of length n, or longer, reused from test to test. */
export type Pupil = {
  n: number
  left: CleanEye
  right: CleanEye
  /** Eyes that contribute to the size. */
  eyes: Uint8Array
  /** Smoothed size, NaN for unknown, in the unit of the recording. */
  size: Float64Array
  /** Median size in the baseline window; NaN if it has no size. */
  baseline: number
}

export function createPupil(): Pupil {
  return sized(1024)
}

function sized(capacity: number): Pupil {
  return {
    n: 0,
    left: createCleanEye(capacity),
    right: createCleanEye(capacity),
    eyes: new Uint8Array(capacity),
    size: new Float64Array(capacity),
    baseline: Number.NaN,
  }
}

/** Scratch memory of a thread, which computes one test at a time. */
let joined = new Float64Array(1024)
let sums = new Float64Array(1025)

/**
 * Computes a pupil from recorded sizes: docs/pupils.md, steps 2 to 10.
 *
 * @param isMm true if sizes are diameters in mm
 * @param eye eye whose pupil is used
 * @param pupil overwritten; grown if too short
 */
export function measurePupil(
  recorded: RecordedPupils,
  isMm: boolean,
  eye: PupilEye,
  settings: PupilSettings,
  pupil: Pupil,
): void {
  const { n, tUs } = recorded
  if (pupil.size.length < n) Object.assign(pupil, sized(2 * n))
  if (joined.length < n) {
    joined = new Float64Array(2 * n)
    sums = new Float64Array(2 * n + 1)
  }
  pupil.n = n
  cleanEye(tUs, recorded.left, n, isMm, settings, pupil.left)
  cleanEye(tUs, recorded.right, n, isMm, settings, pupil.right)
  joinEyes(tUs, eye, pupil)
  smooth(tUs, n, settings.pupilSmoothingMs * 1000, pupil.size)
  const { pupilBaselineFromMs, pupilBaselineToMs } = settings
  pupil.baseline = baselineOf(tUs, pupil, pupilBaselineFromMs * 1000, pupilBaselineToMs * 1000)
}

/** Writes the size of the chosen eyes to `joined` (step 8). */
function joinEyes(tUs: Float64Array, eye: PupilEye, { n, left, right, eyes }: Pupil): void {
  const [takesLeft, takesRight] = [eye !== 'right', eye !== 'left']
  let hasBoth = false
  for (let i = 0; i < n; i++) {
    const isLeft = takesLeft && !Number.isNaN(left.size[i])
    const isRight = takesRight && !Number.isNaN(right.size[i])
    const own = (isLeft ? OF_LEFT : 0) + (isRight ? OF_RIGHT : 0)
    eyes[i] = eye === 'both' && own !== OF_BOTH ? OF_NONE : own
    if (own === OF_BOTH) hasBoth = true
  }
  // The difference is known for two neighbours with both eyes, and before the first and after the last of such points.
  let [before, after] = [-1, hasBoth ? nextWithBoth(eyes, n, 0) : n]
  for (let i = 0; i < n; i++) {
    if (eyes[i] === OF_BOTH) {
      joined[i] = (left.size[i] + right.size[i]) / 2
      before = i
      if (i === after) after = nextWithBoth(eyes, n, i + 1)
    } else if (eyes[i] === OF_NONE) {
      joined[i] = Number.NaN
    } else {
      const half = hasBoth ? differenceAt(tUs, i, before, after < n ? after : -1, left.size, right.size) / 2 : 0
      joined[i] = eyes[i] === OF_LEFT ? left.size[i] + half : right.size[i] - half
    }
  }
}

function nextWithBoth(eyes: Uint8Array, n: number, from: number): number {
  let i = from
  while (i < n && eyes[i] !== OF_BOTH) i++
  return i
}

/** Returns right − left at a point, between the points with both eyes before and after it; -1 for no such point. */
function differenceAt(
  tUs: Float64Array,
  i: number,
  before: number,
  after: number,
  left: Float64Array,
  right: Float64Array,
): number {
  if (before === -1) return right[after] - left[after]
  const from = right[before] - left[before]
  if (after === -1) return from
  const part = (tUs[i] - tUs[before]) / (tUs[after] - tUs[before])
  return from + (right[after] - left[after] - from) * part
}

/** Smooths `joined` into `out`: the mean of sizes within half the window's width, in a run without gaps (step 9). */
function smooth(tUs: Float64Array, n: number, widthUs: number, out: Float64Array): void {
  for (let start = 0; start < n; ) {
    if (Number.isNaN(joined[start])) {
      out[start++] = Number.NaN
      continue
    }
    let end = start + 1
    sums[start] = 0
    sums[end] = joined[start]
    while (end < n && !Number.isNaN(joined[end]) && tUs[end] - tUs[end - 1] < GAP_US) {
      sums[end + 1] = sums[end] + joined[end]
      end++
    }
    if (widthUs === 0) for (let i = start; i < end; i++) out[i] = joined[i]
    for (let i = start, first = start, last = start; widthUs > 0 && i < end; i++) {
      while (2 * (tUs[i] - tUs[first]) > widthUs) first++
      while (last < end && 2 * (tUs[last] - tUs[i]) <= widthUs) last++
      out[i] = (sums[last] - sums[first]) / (last - first)
    }
    start = end
  }
}

/** Returns the median size in a half-open time range (step 10); NaN without sizes. */
export function baselineOf(tUs: Float64Array, { n, size }: Pupil, fromUs: number, toUs: number): number {
  let count = 0
  for (let i = 0; i < n && tUs[i] < toUs; i++) {
    if (tUs[i] >= fromUs && !Number.isNaN(size[i])) joined[count++] = size[i]
  }
  return medianOf(joined.subarray(0, count))
}
