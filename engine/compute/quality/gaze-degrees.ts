import type { Fixations, Positions } from '../fixation-list.ts'
import { type DisplayRectanglePx, type Gaze, pointOfSample, type Samples } from '../gaze.ts'
import { addVelocities } from '../velocities.ts'
import { angleBetween, directionOf, fickAngles, type ScreenGeometry } from './degrees.ts'
import { distancesAt } from './distances-at.ts'
import { floats } from './scratch.ts'

/** Saccades in degrees of the visual field: columns of one value for each saccade. */
type SaccadeDegrees = {
  amplitude: Float64Array
  /** Fick angles of the fixations before and after. */
  fromX: Float64Array
  fromY: Float64Array
  toX: Float64Array
  toY: Float64Array
  /** Degrees per second. */
  meanVelocity: Float64Array
  peakVelocity: Float64Array
  /** Degrees per second, per second. */
  peakAcceleration: Float64Array
}

/**
 * Measures saccades in degrees: docs/metrics.md, "Degrees and exact times".
 *
 * @param gaze of the samples, whose points before the median are used
 * @param to index of the fixation to which each saccade leads; it comes from the previous one
 */
export function measureSaccadeDegrees(
  samples: Samples,
  gaze: Gaze,
  fixations: Fixations,
  to: Int32Array,
  display: DisplayRectanglePx,
  screen: ScreenGeometry,
): SaccadeDegrees {
  const points = pointsSeen(samples, gaze, display, screen)
  const { velocity, acceleration } = speedsOf(gaze, fickAngles(screen, points, points.aheadCm))
  const made = [0, 1, 2, 3].map(() => new Float64Array(to.length))
  const [amplitude, meanVelocity, peakVelocity, peakAcceleration] = made
  const { firstPoint, endPoint } = fixations
  const means = meansOf(points, fixations, screen)
  const angles = fickAngles(screen, means, means.aheadCm)
  const ofFixations = (axis: Float64Array, before: number) => Float64Array.from(to, (f) => axis[f - before])
  for (const [s, f] of to.entries()) {
    amplitude[s] = angleTo(f, means, screen)
    const [first, last] = [endPoint[f - 1] - 1, firstPoint[f]]
    let [sum, fastest, strongest] = [0, 0, Number.NEGATIVE_INFINITY]
    for (let p = first; p <= last; p++) {
      sum += velocity[p]
      fastest = Math.max(fastest, velocity[p])
      strongest = Math.max(strongest, acceleration[p])
    }
    meanVelocity[s] = sum / (last + 1 - first)
    peakVelocity[s] = fastest
    peakAcceleration[s] = strongest
  }
  const [fromX, fromY] = [ofFixations(angles.x, 1), ofFixations(angles.y, 1)]
  const [toX, toY] = [ofFixations(angles.x, 0), ofFixations(angles.y, 0)]
  return { amplitude, fromX, fromY, toX, toY, meanVelocity, peakVelocity, peakAcceleration }
}

/** Fixations in degrees of the visual field: Fick angles, and amplitudes of saccades, NaN without a saccade. */
type FixationDegrees = { x: Float64Array; y: Float64Array; amplitude: Float64Array }

/**
 * Measures fixations in degrees: docs/metrics.md, "Degrees and exact times".
 *
 * @param gaze of the samples, whose points before the median are used
 */
export function measureFixationDegrees(
  samples: Samples,
  gaze: Gaze,
  fixations: Fixations,
  display: DisplayRectanglePx,
  screen: ScreenGeometry,
): FixationDegrees {
  const means = meansOf(pointsSeen(samples, gaze, display, screen), fixations, screen)
  const amplitude = floats(fixations.n)
  for (let f = 0; f < fixations.n; f++)
    amplitude[f] = fixations.hasSaccade[f] === 1 ? angleTo(f, means, screen) : Number.NaN
  return { ...fickAngles(screen, means, means.aheadCm), amplitude }
}

type Points = { x: Float64Array; y: Float64Array }
/** Positions in px of the window, with the distance of the eye at each. */
type SeenPoints = Points & { aheadCm: Float64Array }

function pointsSeen(samples: Samples, gaze: Gaze, display: DisplayRectanglePx, screen: ScreenGeometry): SeenPoints {
  return { ...pointsOnScreen(samples, gaze, display), aheadCm: distancesAt(screen, gaze.tUs, gaze.n) }
}

/** Returns the mean position and distance of each fixation's points. */
function meansOf(
  points: SeenPoints,
  { n, firstPoint, endPoint }: Fixations,
  { distanceCm }: ScreenGeometry,
): SeenPoints {
  const means = { x: floats(n), y: floats(n), aheadCm: floats(n) }
  for (let f = 0; f < n; f++) {
    for (let p = firstPoint[f]; p < endPoint[f]; p++) {
      means.x[f] += points.x[p]
      means.y[f] += points.y[p]
      // From the distance of the test, so that the mean of equal distances is exactly that.
      means.aheadCm[f] += points.aheadCm[p] - distanceCm
    }
    means.x[f] /= endPoint[f] - firstPoint[f]
    means.y[f] /= endPoint[f] - firstPoint[f]
    means.aheadCm[f] = distanceCm + means.aheadCm[f] / (endPoint[f] - firstPoint[f])
  }
  return means
}

/** Returns the angle from the previous fixation to fixation `f`. */
function angleTo(f: number, { x, y, aheadCm }: SeenPoints, screen: ScreenGeometry): number {
  return angleBetween(
    directionOf(screen, x[f - 1], y[f - 1], aheadCm[f - 1]),
    directionOf(screen, x[f], y[f], aheadCm[f]),
  )
}

/**
 * Returns points in px of the window, that is, without scrolling.
 *
 * @param percent positions of the points of the gaze, in percent of the displayed item; by default those before the
 *   median
 */
export function pointsOnScreen(
  samples: Samples,
  gaze: Gaze,
  { leftPx, topPx, widthPx, heightPx }: DisplayRectanglePx,
  percent: Positions = { x: gaze.rawPercent, y: gaze.rawPercent.subarray(1), stride: 2 },
): Points {
  const { n, tUs, isInterpolated } = gaze
  const [x, y, scroll] = [floats(n), floats(n), floats(n)]
  for (let i = 0; i < samples.n; i++) {
    const p = pointOfSample(gaze, i)
    if (p !== -1) scroll[p] = samples.scrollYPx[i]
  }
  for (let p = 0, next = 0; p < n; p++) {
    if (isInterpolated[p] === 1) {
      for (next = p; isInterpolated[next] === 1; ) next++
      const part = (tUs[p] - tUs[p - 1]) / (tUs[next] - tUs[p - 1])
      scroll[p] = scroll[p - 1] + (scroll[next] - scroll[p - 1]) * part
    }
    x[p] = leftPx + (percent.x[p * percent.stride] / 100) * widthPx
    y[p] = topPx + (percent.y[p * percent.stride] / 100) * heightPx - scroll[p]
  }
  return { x, y }
}

/** Returns the speed of each point in degrees per second, and its rate of change. @param angles Fick angles */
function speedsOf({ n, tUs, segmentStart, segmentCount }: Gaze, angles: Points) {
  const [velocity, up, acceleration, unused] = [floats(n), floats(n), floats(n), floats(n)]
  const segments = Array.from({ length: segmentCount }, (_, k) => [segmentStart[k], segmentStart[k + 1]])
  const known = segments.filter(([start, end]) => end - start > 1)
  const positions = { ...angles, stride: 1 as const }
  for (const [start, end] of known) addVelocities(tUs, positions, start, end, velocity, up, start)
  for (let p = 0; p < n; p++) {
    // A degree of azimuth is less than a degree of the visual field, the more so the higher it is.
    const across = velocity[p] * Math.cos((angles.y[p] * Math.PI) / 180)
    velocity[p] = Math.sqrt(across * across + up[p] * up[p])
  }
  const speeds = { x: velocity, y: velocity, stride: 1 as const }
  for (const [start, end] of known) addVelocities(tUs, speeds, start, end, acceleration, unused, start)
  return { velocity, acceleration }
}
