import { addFixation, addSaccade, type FixationSettings, type Fixations, type Positions } from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze } from '../gaze.ts'
import { positionsIn, type Seen } from './positions-in.ts'
import { addRun, createRuns, mergeRuns } from './runs.ts'

/** Scratch memory of a thread, which computes one test at a time. */
const runs = createRuns()

/**
 * Finds fixations by dispersion (I-DT; Salvucci & Goldberg, 2000): docs/detectors.md, "Dispersion".
 *
 * @param gaze denoised
 * @param fixations appended to; grown if too short
 */
export function detectByDispersion(
  gaze: Gaze,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
  seen: Seen,
): void {
  const { tUs, xPercent, yPercent, segmentStart } = gaze
  const positions: Positions = { x: xPercent, y: yPercent, stride: 1 }
  const minUs = settings.minFixationDurationMs * 1000
  const { dispersionThresholdDeg: inDegrees, mergeGapMs, mergeDistanceDeg } = settings
  const widest = inDegrees > 0 ? inDegrees : settings.dispersionThresholdPercent
  const spread = positionsIn(inDegrees > 0, positions, gaze, display, seen)
  const merged = positionsIn(mergeGapMs > 0 && mergeDistanceDeg > 0, positions, gaze, display, seen)
  for (let k = 0; k < gaze.segmentCount; k++) {
    const end = segmentStart[k + 1]
    const firstOfSegment = fixations.n
    runs.n = 0
    let i = segmentStart[k]
    for (let j = i; ; ) {
      while (j < end && tUs[j] - tUs[i] < minUs) j++
      if (j === end) break
      const box = boxOf(spread, i, j, widest)
      // No window that contains both ends of a range that is too wide can be narrow enough.
      if (box.tooWideFrom >= 0) {
        i = box.tooWideFrom + 1
        j = Math.max(i, j)
        continue
      }
      let runEnd = j + 1
      while (runEnd < end && widen(box, spread.x[runEnd], spread.y[runEnd]) <= widest) runEnd++
      addRun(runs, i, runEnd)
      i = runEnd
      j = i
      if (i === end) break
    }
    fixations.steps.merged += mergeRuns(runs, tUs, merged, display, settings)
    for (let r = 0; r < runs.n; r++) {
      const [from, to] = [runs.start[r], runs.end[r]]
      addFixation(positions, from, to, tUs[from], tUs[to - 1], fixations)
      if (fixations.n - 1 > firstOfSegment) addSaccade(fixations.n - 1, display, settings, fixations)
    }
  }
}

type Box = { minX: number; maxX: number; minY: number; maxY: number; tooWideFrom: number }

/**
 * Returns the bounding box of points i to j, inclusive; `tooWideFrom` is the last point from which on it is wider than
 * allowed, or -1.
 */
function boxOf({ x, y }: Positions, i: number, j: number, widest: number): Box {
  const box = { minX: x[j], maxX: x[j], minY: y[j], maxY: y[j], tooWideFrom: -1 }
  for (let p = j - 1; p >= i; p--) {
    if (widen(box, x[p], y[p]) <= widest) continue
    box.tooWideFrom = p
    return box
  }
  return box
}

/** Extends a box by a point and returns the dispersion: width plus height. */
function widen(box: Box, x: number, y: number): number {
  if (x < box.minX) box.minX = x
  if (x > box.maxX) box.maxX = x
  if (y < box.minY) box.minY = y
  if (y > box.maxY) box.maxY = y
  return box.maxX - box.minX + (box.maxY - box.minY)
}
