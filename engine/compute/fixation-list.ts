import type { DetectorName } from '../../isomorphic/detector-settings.ts'
import { type ColumnsOf, sized } from '../model/struct.ts'
import type { DisplayRectanglePx } from './gaze.ts'

/** Settings of the detectors of fixations: docs/signal.md, steps 8 to 10, and docs/detectors.md. */
export type FixationSettings = {
  detector: DetectorName
  /** V, percent of the displayed item per second. */
  gazeVelocityThreshold: number
  /** The same in degrees per second, which replaces it if above 0, as do the other two in degrees. */
  gazeVelocityThresholdDegPerS: number
  /** T, percent of the displayed item. */
  dispersionThresholdPercent: number
  dispersionThresholdDeg: number
  /** λ: gaze faster than this many times the noise of velocity is fast. */
  adaptiveLambda: number
  minFixationDurationMs: number
  maxFixationDurationMs: number
  saccadeMaxDurationMs: number
  /** G: fixations less than this apart in time are merged if they are close in space; 0 merges nothing. */
  mergeGapMs: number
  /** D, percent of the width of the displayed item. */
  mergeDistancePercent: number
  mergeDistanceDeg: number
  /** Settings of I2MC: longest gap that is filled, windows, cutoff, edges, and the seed of its clustering. */
  i2mcGapMs: number
  i2mcWindowMs: number
  i2mcStepMs: number
  i2mcCutoffSd: number
  i2mcEdgeMad: number
  i2mcSeed: number
}

/** Columns of fixations. */
const FIXATION = {
  /** Range of its points among those of the gaze, half-open. */
  firstPoint: Int32Array,
  endPoint: Int32Array,
  startUs: Float64Array,
  endUs: Float64Array,
  xPercent: Float64Array,
  yPercent: Float64Array,
  /** 1 if a saccade leads here from the previous fixation, from the end of that one to the start of this one. */
  hasSaccade: Uint8Array,
  /** Saccade amplitude and length; NaN without a saccade. */
  saccadeAmplitudePercent: Float64Array,
  saccadeLengthPx: Float64Array,
}

/** Names of the columns of fixations. */
export const FIXATION_COLUMNS = Object.keys(FIXATION) as (keyof typeof FIXATION)[]

/** Fixations of a test: columns of length n. The arrays are reused from test to test and may be longer than n. */
export type Fixations = { n: number; steps: DetectionSteps } & ColumnsOf<typeof FIXATION>

/** Counts of the steps of a detector. */
export type DetectionSteps = {
  /** Candidates merged with the one before, and runs that are longer than a fixation may be, so that they are cut. */
  merged: number
  cut: number
  /** Runs of fast points that `adaptive` takes for slow, since they are too short for a saccade. */
  bridged: number
  /** Lost positions that I2MC interpolates, of the signals that it clusters: each eye, or the gaze alone. */
  filled: number
}

/** Steps of a test without fixations. */
export const NO_STEPS: DetectionSteps = { merged: 0, cut: 0, bridged: 0, filled: 0 }

export function createFixations(): Fixations {
  return emptyFixations(256)
}

export const POINTS_MIN = 2

/** Positions of points, with point i at `i * stride` in both columns. */
export type Positions = { x: Float64Array; y: Float64Array; stride: 1 | 2 }

/**
 * Adds a fixation at the mean of its points (docs/signal.md, step 9).
 *
 * @param positions of all points of the gaze @param start, end of its points, half-open
 */
export function addFixation(
  { x, y, stride }: Positions,
  start: number,
  end: number,
  startUs: number,
  endUs: number,
  fixations: Fixations,
): void {
  let sumX = 0
  let sumY = 0
  for (let i = start; i < end; i++) {
    sumX += x[i * stride]
    sumY += y[i * stride]
  }
  addFixationAt(sumX / (end - start), sumY / (end - start), start, end, startUs, endUs, fixations)
}

/** Adds a fixation at a given position. @param start, end of its points, half-open */
export function addFixationAt(
  xPercent: number,
  yPercent: number,
  start: number,
  end: number,
  startUs: number,
  endUs: number,
  fixations: Fixations,
): void {
  if (fixations.n === fixations.startUs.length) grow(fixations)
  const f = fixations.n++
  fixations.firstPoint[f] = start
  fixations.endPoint[f] = end
  fixations.startUs[f] = startUs
  fixations.endUs[f] = endUs
  fixations.xPercent[f] = xPercent
  fixations.yPercent[f] = yPercent
  fixations.hasSaccade[f] = 0
  fixations.saccadeAmplitudePercent[f] = Number.NaN
  fixations.saccadeLengthPx[f] = Number.NaN
}

/**
 * Adds the saccade that leads to fixation `f` from the previous one, which is in another run of the same segment (step
 * 10).
 */
export function addSaccade(
  f: number,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
): void {
  const { startUs, endUs, xPercent, yPercent } = fixations
  if (startUs[f] - endUs[f - 1] > settings.saccadeMaxDurationMs * 1000) return
  const dx = xPercent[f] - xPercent[f - 1]
  const dy = yPercent[f] - yPercent[f - 1]
  const dxPx = (dx / 100) * display.widthPx
  const dyPx = (dy / 100) * display.heightPx
  fixations.hasSaccade[f] = 1
  fixations.saccadeAmplitudePercent[f] = Math.sqrt(dx * dx + dy * dy)
  fixations.saccadeLengthPx[f] = Math.sqrt(dxPx * dxPx + dyPx * dyPx)
}

function grow(fixations: Fixations): void {
  const larger = emptyFixations(2 * fixations.startUs.length)
  larger.n = fixations.n
  larger.steps = fixations.steps
  for (const name of FIXATION_COLUMNS) larger[name].set(fixations[name])
  Object.assign(fixations, larger)
}

/** Copies fixations. @param into overwritten; grown if too short */
export function copyFixations(from: Fixations, into: Fixations): void {
  if (into.startUs.length < from.n) Object.assign(into, emptyFixations(from.startUs.length))
  into.n = from.n
  Object.assign(into.steps, from.steps)
  for (const name of FIXATION_COLUMNS) into[name].set(from[name].subarray(0, from.n))
}

function emptyFixations(capacity: number): Fixations {
  return { n: 0, ...sized(FIXATION, capacity), steps: { ...NO_STEPS } }
}
