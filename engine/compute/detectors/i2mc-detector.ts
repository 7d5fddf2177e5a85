import { EYE_PAIRS } from '../../model/eye-columns.ts'
import { addFixationAt, addSaccade, type FixationSettings, type Fixations, POINTS_MIN } from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze, Samples } from '../gaze.ts'
import { medianOf } from '../order-statistics.ts'
import { angleBetween, directionOf, type ScreenGeometry } from '../quality/degrees.ts'
import type { Signal } from './i2mc/fill-gaps.ts'
import { findFixations, type I2mcSamples, type Near } from './i2mc/find-fixations.ts'
import type { Seen } from './positions-in.ts'

/** Smallest step of the grid: no eye tracker is faster than 2000 Hz. */
const STEP_MIN_US = 500
/** Share of the width of the screen, as published, or of the displayed item: 0.2 √2. */
const FARTHEST = 0.2 * Math.SQRT2

/**
 * Finds fixations by 2-means clustering (Hessels et al., 2017): docs/detectors.md, "I2MC".
 *
 * @param gaze whose valid samples are used, on a grid of equal steps
 * @param fixations appended to; grown if too short
 * @param seen samples from which the gaze was computed; their eyes, if any, are clustered separately
 */
export function detectByTwoMeans(
  gaze: Gaze,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
  { samples, screen }: Seen,
): void {
  const { validCount, validTUs, validXPercent, validYPercent, pointOfOrdered, segmentStart } = gaze
  if (validCount < POINTS_MIN) return
  const grid = gridOf(validTUs.subarray(0, validCount), settings.i2mcGapMs * 1000)
  const onGrid = (percent: Float64Array, sizePx: number) =>
    Float64Array.from(grid.sampleAt, (i) => (i === -1 ? Number.NaN : (percent[i] / 100) * sizePx))
  const positions: Signal = {
    x: onGrid(validXPercent, display.widthPx),
    y: onGrid(validYPercent, display.heightPx),
  }
  const eyes = samples === null ? [] : eyesOnGrid(samples, gaze, grid)
  const signals: I2mcSamples = { tUs: grid.tUs, stepUs: grid.stepUs, gaze: positions, eyes }
  const isInDegrees = settings.mergeDistanceDeg > 0
  if (isInDegrees && (samples === null || screen === null))
    throw new Error('thresholds in degrees need samples and a screen')
  const widthPx = isInDegrees ? screen!.widthPx : display.widthPx
  const near: Near = isInDegrees
    ? { ...onScreen(samples!, gaze, grid, display, screen!), below: settings.mergeDistanceDeg }
    : { positions, distance: distancePx, below: (settings.mergeDistancePercent / 100) * widthPx }
  const { found, merged, filled } = findFixations(signals, settings, FARTHEST * widthPx, near)
  Object.assign(fixations.steps, { merged, filled })
  let segment = 0
  let lastSegment = -1
  for (const { first, last } of found) {
    const [from, to] = [grid.sampleAt[first], grid.sampleAt[last]]
    const [startUs, endUs] = [validTUs[from], validTUs[to]]
    if (to === from || endUs - startUs < settings.minFixationDurationMs * 1000) continue
    const [firstPoint, lastPoint] = [pointOfOrdered[from], pointOfOrdered[to]]
    const xPercent = medianOf(validXPercent.slice(from, to + 1))
    const yPercent = medianOf(validYPercent.slice(from, to + 1))
    addFixationAt(xPercent, yPercent, firstPoint, lastPoint + 1, startUs, endUs, fixations)
    while (segmentStart[segment + 1] <= firstPoint) segment++
    if (segment === lastSegment) addSaccade(fixations.n - 1, display, settings, fixations)
    while (segmentStart[segment + 1] <= lastPoint) segment++
    lastSegment = segment
  }
}

function distancePx(fromX: number, fromY: number, toX: number, toY: number): number {
  return Math.sqrt((toX - fromX) ** 2 + (toY - fromY) ** 2)
}

/** Returns the valid samples in px of the window, and the angle between two of these positions. */
function onScreen(
  { scrollYPx }: Samples,
  { orderOfSample, validXPercent, validYPercent }: Gaze,
  { sampleAt }: Grid,
  { leftPx, topPx, widthPx, heightPx }: DisplayRectanglePx,
  screen: ScreenGeometry,
): Pick<Near, 'positions' | 'distance'> {
  const scrollPx = new Float64Array(validYPercent.length)
  for (const [i, scroll] of scrollYPx.entries()) if (orderOfSample[i] !== -1) scrollPx[orderOfSample[i]] = scroll
  const onGrid = (positionOf: (i: number) => number) =>
    Float64Array.from(sampleAt, (i) => (i === -1 ? Number.NaN : positionOf(i)))
  return {
    positions: {
      x: onGrid((i) => leftPx + (validXPercent[i] / 100) * widthPx),
      y: onGrid((i) => topPx + (validYPercent[i] / 100) * heightPx - scrollPx[i]),
    },
    distance: (fromX, fromY, toX, toY) =>
      angleBetween(directionOf(screen, fromX, fromY), directionOf(screen, toX, toY)),
  }
}

/**
 * Returns the positions of each recorded eye, in px from any origin: at equal times, the mean of the valid ones. Empty
 * if the gaze is that of a chosen eye, so that no eyes were read.
 */
function eyesOnGrid({ eyes = {}, scrollYPx }: Samples, gaze: Gaze, { sampleAt }: Grid): Signal[] {
  const { orderOfSample, validCount } = gaze
  return EYE_PAIRS.flatMap(([nameX, nameY]) => {
    const [ownX, ownY] = [eyes[nameX], eyes[nameY]]
    if (ownX === undefined || ownY === undefined) return []
    const [sumX, sumY] = [new Float64Array(validCount), new Float64Array(validCount)]
    const count = new Int32Array(validCount)
    let isThere = false
    for (let i = 0; i < ownX.length; i++) {
      const ordered = orderOfSample[i]
      if (ordered === -1 || Number.isNaN(ownX[i]) || Number.isNaN(ownY[i])) continue
      sumX[ordered] += ownX[i]
      sumY[ordered] += ownY[i] + scrollYPx[i]
      count[ordered]++
      isThere = true
    }
    if (!isThere) return []
    const onGrid = (sum: Float64Array) =>
      Float64Array.from(sampleAt, (i) => (i === -1 ? Number.NaN : sum[i] / count[i]))
    return [{ x: onGrid(sumX), y: onGrid(sumY) }]
  })
}

type Grid = {
  /** Median step between samples. */
  stepUs: number
  /** Times in µs, evenly spaced where samples are lost. */
  tUs: Float64Array
  /** Index of the valid sample at each grid point, -1 if lost. */
  sampleAt: Int32Array
}

/**
 * Places samples on a grid of equal steps: each gap gets as many lost samples as fit. A gap longer than `longestUs`,
 * which is never filled, gets just one more than that.
 *
 * @param tUs ascending, at least two
 */
function gridOf(tUs: Float64Array, longestUs: number): Grid {
  const n = tUs.length
  const steps = new Float64Array(n - 1)
  for (let i = 1; i < n; i++) steps[i - 1] = tUs[i] - tUs[i - 1]
  const stepUs = Math.max(STEP_MIN_US, medianOf(steps))
  const most = Math.round(longestUs / stepUs) + 1
  const lostBefore = (i: number) =>
    i === 0 ? 0 : Math.min(most, Math.max(0, Math.round((tUs[i] - tUs[i - 1]) / stepUs) - 1))
  let size = n
  for (let i = 0; i < n; i++) size += lostBefore(i)
  const grid: Grid = { stepUs, tUs: new Float64Array(size), sampleAt: new Int32Array(size) }
  let place = 0
  for (let i = 0; i < n; i++) {
    const lost = lostBefore(i)
    for (let k = 1; k <= lost; k++) {
      grid.tUs[place] = tUs[i - 1] + ((tUs[i] - tUs[i - 1]) * k) / (lost + 1)
      grid.sampleAt[place++] = -1
    }
    grid.tUs[place] = tUs[i]
    grid.sampleAt[place++] = i
  }
  return grid
}
