import { medianOf } from './order-statistics.ts'
import { addVelocities } from './velocities.ts'

/** Gaze of one eye at all distinct times of a test, in any unit; NaN if lost. Columns of equal length. */
export type EyeGaze = { tUs: Float64Array; x: Float64Array; y: Float64Array }

type MicrosaccadeSettings = { lambda: number; minSamples: number }

/** A saccade of one eye: its first and last time, by index; units of the gaze, and of the gaze per second. */
export type EyeSaccade = { first: number; last: number; peakVelocity: number; amplitudeX: number; amplitudeY: number }

/** A run of the five points of a velocity has at least so many samples. */
const SAMPLES_MIN = 5
/** A step of more than so many median steps ends a segment: a sample is missing. */
const STEPS_MAX = 1.5
/** Smallest noise, in units of the gaze per second; below it, the standard deviation replaces it. */
const NOISE_MIN = 1e-10

/**
 * Finds the saccades of one eye that exceed λ times the noise of its velocity (Engbert and Kliegl, 2003):
 * docs/microsaccades.md, "One eye". None if an axis has no noise.
 *
 * @param stepUs median step between the times
 */
export function findEyeSaccades(gaze: EyeGaze, stepUs: number, settings: MicrosaccadeSettings): EyeSaccade[] {
  const segments = segmentsOf(gaze, stepUs)
  const { vx, vy, n } = velocitiesOf(gaze, segments)
  const [radiusX, radiusY] = [vx, vy].map((v) => settings.lambda * noiseOf(v.subarray(0, n)))
  if (!(radiusX > 0 && radiusY > 0)) return []
  const found: EyeSaccade[] = []
  let from = 0
  for (const [start, end] of segments) {
    const at = from - start
    const isFast = (i: number) => (vx[at + i] / radiusX) ** 2 + (vy[at + i] / radiusY) ** 2 > 1
    for (let i = start; i < end; i++) {
      if (!isFast(i)) continue
      const first = i
      while (i + 1 < end && isFast(i + 1)) i++
      if (i - first + 1 < settings.minSamples) continue
      let peakVelocity = 0
      for (let p = first; p <= i; p++) peakVelocity = Math.max(peakVelocity, Math.hypot(vx[at + p], vy[at + p]))
      found.push({ first, last: i, peakVelocity, ...amplitudesOf(gaze, first, i) })
    }
    from += end - start
  }
  return found
}

/** Returns the components of the amplitude of the gaze from one time to another, both included. */
export function amplitudesOf({ x, y }: EyeGaze, first: number, last: number) {
  return { amplitudeX: amplitudeOf(x, first, last), amplitudeY: amplitudeOf(y, first, last) }
}

/** Returns the range of positions, negative if the greatest comes before the least. */
function amplitudeOf(positions: Float64Array, first: number, last: number): number {
  let [least, greatest] = [first, first]
  for (let i = first; i <= last; i++) {
    if (positions[i] < positions[least]) least = i
    if (positions[i] > positions[greatest]) greatest = i
  }
  return Math.sign(greatest - least) * (positions[greatest] - positions[least])
}

/** Returns the runs of times with gaze that lack no sample, half-open. */
function segmentsOf({ tUs, x, y }: EyeGaze, stepUs: number): [number, number][] {
  const segments: [number, number][] = []
  const isLost = (i: number) => Number.isNaN(x[i]) || Number.isNaN(y[i])
  for (let start = 0; start < tUs.length; start++) {
    if (isLost(start)) continue
    let end = start + 1
    while (end < tUs.length && !isLost(end) && tUs[end] - tUs[end - 1] <= STEPS_MAX * stepUs) end++
    if (end - start >= SAMPLES_MIN) segments.push([start, end])
    start = end - 1
  }
  return segments
}

/** Returns the velocities of all segments, one after the other; 0 at both ends of each. */
function velocitiesOf({ tUs, x, y }: EyeGaze, segments: [number, number][]) {
  const [vx, vy] = [new Float64Array(tUs.length), new Float64Array(tUs.length)]
  let n = 0
  for (const [start, end] of segments) {
    const next = addVelocities(tUs, { x, y, stride: 1 }, start, end, vx, vy, n)
    for (const v of [vx, vy]) v[n] = v[next - 1] = 0
    n = next
  }
  return { vx, vy, n }
}

/** Returns the deviation of velocities by medians, or the standard deviation if that is 0; 0 without noise. */
function noiseOf(velocities: Float64Array): number {
  if (velocities.length === 0) return 0
  const middle = medianOf(velocities.slice())
  const noise = Math.sqrt(medianOf(velocities.map((v) => (v - middle) ** 2)))
  if (noise >= NOISE_MIN) return noise
  const mean = velocities.reduce((sum, v) => sum + v, 0) / velocities.length
  const deviation = Math.sqrt(velocities.reduce((sum, v) => sum + (v - mean) ** 2, 0) / velocities.length)
  return deviation >= NOISE_MIN ? deviation : 0
}

/** A saccade of both eyes: the largest of each among those that overlap. */
export type BinocularSaccade = { left: EyeSaccade; right: EyeSaccade }

/**
 * Pairs saccades of both eyes that overlap in time (Engbert and Mergenthaler, 2006): docs/microsaccades.md, "Both
 * eyes".
 *
 * @param left, right saccades of each eye, in order of time, by indexes of the same times
 */
export function pairSaccades(left: EyeSaccade[], right: EyeSaccade[]): BinocularSaccade[] {
  const pairs: BinocularSaccade[] = []
  let [l, r] = [0, 0]
  while (l < left.length || r < right.length) {
    const own: { left: EyeSaccade[]; right: EyeSaccade[] } = { left: [], right: [] }
    let last = Math.min(left[l]?.first ?? Number.POSITIVE_INFINITY, right[r]?.first ?? Number.POSITIVE_INFINITY) - 1
    for (let isLonger = true; isLonger; ) {
      isLonger = false
      for (; left[l]?.first <= last + 1; isLonger = true)
        last = Math.max(last, own.left[own.left.push(left[l++]) - 1].last)
      for (; right[r]?.first <= last + 1; isLonger = true)
        last = Math.max(last, own.right[own.right.push(right[r++]) - 1].last)
    }
    if (own.left.length > 0 && own.right.length > 0)
      pairs.push({ left: largestOf(own.left), right: largestOf(own.right) })
  }
  return pairs
}

/** Returns the saccade with the greatest amplitude, the first of equal ones. */
function largestOf(saccades: EyeSaccade[]): EyeSaccade {
  const sizeOf = ({ amplitudeX, amplitudeY }: EyeSaccade) => Math.hypot(amplitudeX, amplitudeY)
  return saccades.reduce((largest, each) => (sizeOf(each) > sizeOf(largest) ? each : largest))
}
