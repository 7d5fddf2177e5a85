import {
  type AoiShape,
  clickPoint,
  isFixationIn,
  isInAoi,
  LONGEST_GAZE_US,
  toMillionths,
} from '../../../engine/compute/aoi.ts'
import type { Fixations } from '../../../engine/compute/fixation-list.ts'
import type { DisplayRectanglePx, Gaze, Samples } from '../../../engine/compute/gaze.ts'

/** Measures AOI by AOI, as docs/metrics.md words them; the engine measures all AOIs of an item in one pass. */

/**
 * Measures of one test in one AOI; times in whole µs. `first…Us` is NaN and `revisits` −1 where there is nothing in it.
 */
type AoiFixationStats = {
  count: number
  firstStartUs: number
  totalUs: number
  firstDurationUs: number
  revisits: number
}
type AoiClickStats = { count: number; firstUs: number }

/** Measures the fixations of one test in one AOI (docs/metrics.md, "Metrics of one test"). */
export function aoiFixations(aoi: AoiShape, fixations: Fixations): AoiFixationStats {
  const stats = { count: 0, firstStartUs: Number.NaN, totalUs: 0, firstDurationUs: Number.NaN, revisits: -1 }
  let wasIn = false
  for (let f = 0; f < fixations.n; f++) {
    const isIn = isFixationIn(aoi, fixations, f)
    if (isIn) {
      const durationUs = fixations.endUs[f] - fixations.startUs[f]
      if (stats.count === 0) {
        stats.firstStartUs = fixations.startUs[f]
        stats.firstDurationUs = durationUs
      }
      stats.count++
      stats.totalUs += durationUs
      if (!wasIn) stats.revisits++
    }
    wasIn = isIn
  }
  return stats
}

/**
 * Measures the denoised gaze of one test, at its original times, in one AOI (docs/metrics.md, "Metrics of one test").
 */
export function aoiGazes(aoi: AoiShape, gaze: Gaze): { count: number; firstUs: number; totalUs: number } {
  const stats = { count: 0, firstUs: Number.NaN, totalUs: 0 }
  const { tUs, xPercent, yPercent, isInterpolated, segmentStart } = gaze
  for (let k = 0; k < gaze.segmentCount; k++) {
    let previousUs = Number.NEGATIVE_INFINITY
    for (let i = segmentStart[k]; i < segmentStart[k + 1]; i++) {
      if (isInterpolated[i] === 1) continue
      const t = tUs[i]
      if (isInAoi(aoi, toMillionths(xPercent[i]), toMillionths(yPercent[i]), t)) {
        if (stats.count === 0) stats.firstUs = t
        stats.count++
        stats.totalUs += Math.min(LONGEST_GAZE_US, t - previousUs)
      }
      previousUs = t
    }
  }
  return stats
}

/**
 * Measures the clicks of one test in one AOI, by the mouse's percent of the displayed item (docs/metrics.md, "Metrics
 * of one test").
 */
export function aoiClicks(aoi: AoiShape, samples: Samples, display: DisplayRectanglePx | null): AoiClickStats {
  const stats = { count: 0, firstUs: Number.NaN }
  if (display === null) return stats
  const { tUs } = samples
  for (let i = 0; i < samples.n; i++) {
    const point = clickPoint(samples, i, display)
    if (point === null || !isInAoi(aoi, point.x, point.y, tUs[i])) continue
    stats.count++
    if (!(stats.firstUs <= tUs[i])) stats.firstUs = tUs[i]
  }
  return stats
}
