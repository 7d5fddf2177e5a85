import type { Fixations } from './fixation-list.ts'
import type { DisplayRectanglePx, Gaze } from './gaze.ts'

/** Saccades of a test: columns of length n. */
type Saccades = {
  n: number
  /** Index of the fixation to which it leads, from 0; it comes from the previous one. */
  to: Int32Array
  /** Direction in degrees, in px of the displayed item: 0 right, 90 up; NaN if gaze did not move. */
  directionDeg: Float64Array
  /** Percent per second; NaN if there is no point between the two fixations. */
  meanVelocity: Float64Array
  peakVelocity: Float64Array
}

/**
 * Measures the saccades between a test's fixations: docs/metrics.md, "Saccades".
 *
 * @param gaze denoised, in which the fixations were found
 */
export function measureSaccades(gaze: Gaze, fixations: Fixations, display: DisplayRectanglePx): Saccades {
  const { xPercent, yPercent, hasSaccade } = fixations
  const to: number[] = []
  for (let f = 1; f < fixations.n; f++) if (hasSaccade[f] === 1) to.push(f)
  const saccades: Saccades = {
    n: to.length,
    to: Int32Array.from(to),
    directionDeg: new Float64Array(to.length),
    meanVelocity: new Float64Array(to.length),
    peakVelocity: new Float64Array(to.length),
  }
  for (const [s, f] of to.entries()) {
    const right = ((xPercent[f] - xPercent[f - 1]) / 100) * display.widthPx
    const up = ((yPercent[f - 1] - yPercent[f]) / 100) * display.heightPx
    saccades.directionDeg[s] = degreesOf(right, up)
    measureVelocity(gaze, fixations, f, saccades, s)
  }
  return saccades
}

function degreesOf(right: number, up: number): number {
  if (right === 0 && up === 0) return Number.NaN
  const degrees = (Math.atan2(up, right) / Math.PI) * 180
  return degrees < 0 ? degrees + 360 : degrees
}

/** Measures the velocity of gaze at the points between fixation `f` and the previous one. */
function measureVelocity(
  gaze: Gaze,
  { startUs, endUs, firstPoint, endPoint }: Fixations,
  f: number,
  into: Saccades,
  s: number,
) {
  const { tUs, xPercent, yPercent } = gaze
  let [count, sum, peak] = [0, 0, Number.NaN]
  for (let i = endPoint[f - 1]; i < firstPoint[f]; i++) {
    if (tUs[i] <= endUs[f - 1] || tUs[i] >= startUs[f]) continue
    const dx = xPercent[i] - xPercent[i - 1]
    const dy = yPercent[i] - yPercent[i - 1]
    const velocity = Math.sqrt(dx * dx + dy * dy) / ((tUs[i] - tUs[i - 1]) / 1e6)
    sum += velocity
    if (!(velocity <= peak)) peak = velocity
    count++
  }
  into.meanVelocity[s] = sum / count
  into.peakVelocity[s] = peak
}
