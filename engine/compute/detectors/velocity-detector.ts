import {
  addFixation,
  addSaccade,
  type FixationSettings,
  type Fixations,
  POINTS_MIN,
  type Positions,
} from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze } from '../gaze.ts'
import { angleOf, positionsIn, type Seen } from './positions-in.ts'
import { addRun, createRuns, mergeRuns } from './runs.ts'

/**
 * Relative tolerance for comparing squares: far above rounding errors of a velocity, far below any difference that
 * matters.
 */
const CLOSE = 1e-9

/**
 * Marks points that are slower than the threshold (docs/signal.md, steps 7 and 8). Velocity is measured from the
 * previous point; a segment's first point takes the second's. Squares are compared; the root and the division of step 7
 * are computed only if the squares are close.
 *
 * @param threshold percent per second
 * @param isSlow 1 or 0, overwritten from start to end; unchanged for a segment of one point
 */
function markSlow(gaze: Gaze, start: number, end: number, threshold: number, isSlow: Uint8Array): void {
  const { tUs, xPercent, yPercent } = gaze
  const perUs = threshold * 1e-6
  for (let i = start + 1; i < end; i++) {
    const dtUs = tUs[i] - tUs[i - 1]
    const dx = xPercent[i] - xPercent[i - 1]
    const dy = yPercent[i] - yPercent[i - 1]
    const squared = dx * dx + dy * dy
    const farthest = perUs * dtUs
    const limit = farthest * farthest
    if (squared < limit * (1 - CLOSE)) isSlow[i] = 1
    else if (squared > limit * (1 + CLOSE)) isSlow[i] = 0
    else isSlow[i] = Math.sqrt(squared) / (dtUs / 1e6) < threshold ? 1 : 0
  }
  if (end - start > 1) isSlow[start] = isSlow[start + 1]
}

/**
 * Marks points that are slower than a threshold in degrees per second, in the same way.
 *
 * @param angles Fick angles of all points
 */
function markSlowInDegrees(
  tUs: Float64Array,
  angles: Positions,
  start: number,
  end: number,
  threshold: number,
  isSlow: Uint8Array,
): void {
  const { x, y } = angles
  for (let i = start + 1; i < end; i++) {
    const angle = angleOf(x[i] - x[i - 1], y[i] - y[i - 1], y[i])
    isSlow[i] = angle / ((tUs[i] - tUs[i - 1]) / 1e6) < threshold ? 1 : 0
  }
  if (end - start > 1) isSlow[start] = isSlow[start + 1]
}

/**
 * Finds fixations and saccades (docs/signal.md, steps 7 to 10) by velocity-threshold identification (I-VT; Salvucci &
 * Goldberg, 2000): runs of slow points are split at the maximum duration, short pieces dropped, and saccades added
 * between neighbours.
 *
 * @param gaze denoised
 * @param fixations appended to; grown if too short
 */
export function detectByVelocity(
  gaze: Gaze,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
  seen: Seen,
): void {
  const isSlow = flagsOf(gaze.n)
  const percent: Positions = { x: gaze.xPercent, y: gaze.yPercent, stride: 1 }
  const { gazeVelocityThreshold, gazeVelocityThresholdDegPerS: inDegrees, mergeGapMs, mergeDistanceDeg } = settings
  const angles = positionsIn(inDegrees > 0, percent, gaze, display, seen)
  const merged = positionsIn(mergeGapMs > 0 && mergeDistanceDeg > 0, percent, gaze, display, seen)
  for (let k = 0; k < gaze.segmentCount; k++) {
    const start = gaze.segmentStart[k]
    const end = gaze.segmentStart[k + 1]
    if (end - start < POINTS_MIN) continue
    if (inDegrees > 0) markSlowInDegrees(gaze.tUs, angles, start, end, inDegrees, isSlow)
    else markSlow(gaze, start, end, gazeVelocityThreshold, isSlow)
    groupRuns(gaze, isSlow, start, end, display, settings, fixations, merged)
  }
}

/** Scratch memory of a thread, which computes one test at a time. */
const runs = createRuns()

/**
 * Groups a segment into runs of points slower than the threshold (step 8), merges them if requested, splits them, and
 * adds the saccade that leads to the first piece of each (step 10).
 *
 * @param merged positions for merging: see `mergeRuns`
 */
function groupRuns(
  gaze: Gaze,
  isSlow: Uint8Array,
  start: number,
  end: number,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
  merged: Positions,
): void {
  const { tUs } = gaze
  const firstOfSegment = fixations.n
  runs.n = 0
  for (let i = start; i < end; ) {
    if (isSlow[i] === 0) {
      i++
      continue
    }
    let runEnd = i + 1
    while (runEnd < end && isSlow[runEnd] === 1) runEnd++
    addRun(runs, i, runEnd)
    i = runEnd
  }
  fixations.steps.merged += mergeRuns(runs, tUs, merged, display, settings)
  for (let r = 0; r < runs.n; r++) {
    const firstOfRun = fixations.n
    splitRun(gaze, runs.start[r], runs.end[r], settings, fixations)
    if (firstOfRun > firstOfSegment && fixations.n > firstOfRun) addSaccade(firstOfRun, display, settings, fixations)
  }
}

/**
 * Splits a run at s + M, s + 2M, … as long as the split lies before its end, and keeps the pieces that are long enough
 * (step 9).
 */
function splitRun(gaze: Gaze, start: number, end: number, settings: FixationSettings, fixations: Fixations): void {
  const { tUs, xPercent, yPercent } = gaze
  const positions: Positions = { x: xPercent, y: yPercent, stride: 1 }
  const maxUs = settings.maxFixationDurationMs * 1000
  const minUs = settings.minFixationDurationMs * 1000
  const runStartUs = tUs[start]
  const runEndUs = tUs[end - 1]
  if (runEndUs - runStartUs > maxUs) fixations.steps.cut++
  let pieceStartUs = runStartUs
  for (let cut = 1, i = start; i < end; cut++) {
    const cutUs = runStartUs + cut * maxUs
    const isLast = cutUs >= runEndUs
    const pieceEndUs = isLast ? runEndUs : cutUs
    let pieceEnd = isLast ? end : i
    while (pieceEnd < end && tUs[pieceEnd] < cutUs) pieceEnd++
    if (pieceEnd - i >= POINTS_MIN && pieceEndUs - pieceStartUs >= minUs) {
      addFixation(positions, i, pieceEnd, pieceStartUs, pieceEndUs, fixations)
    }
    i = pieceEnd
    pieceStartUs = pieceEndUs
  }
}

let scratch = new Uint8Array(4096)

function flagsOf(n: number): Uint8Array {
  if (scratch.length < n) scratch = new Uint8Array(2 * n)
  return scratch
}
