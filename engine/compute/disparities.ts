import type { Validations } from '../model/study.ts'
import type { Samples } from './gaze.ts'
import { medianOf } from './order-statistics.ts'

/** Time before a click during which gaze counts as that of the click, in µs. */
const BEFORE_CLICK_US = 200_000

/** Vectors from gaze to known places, in px of the window: arrays of equal length. */
export type Disparities = { dx: Float64Array; dy: Float64Array }

/**
 * Measures the disparities of a test at its clicks: from the median of the valid gaze in the 200 ms before a click to
 * the click (docs/analysis.md, "Drift"). Clicks without such gaze, or without a position, are left out.
 */
export function clickDisparities(samples: Samples): Disparities {
  const { n, tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick } = samples
  const [dx, dy]: number[][] = [[], []]
  if (!isClick.includes(1)) return { dx: new Float64Array(0), dy: new Float64Array(0) }
  const byTime = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => tUs[a] - tUs[b] || a - b)
  let from = 0
  for (let at = 0; at < n; at++) {
    const click = byTime[at]
    if (isClick[click] !== 1 || tUs[click] < 0 || Number.isNaN(mouseXPx[click]) || Number.isNaN(mouseYPx[click]))
      continue
    while (tUs[byTime[from]] < tUs[click] - BEFORE_CLICK_US) from++
    const near: number[] = []
    for (let s = from; s < n && tUs[byTime[s]] <= tUs[click]; s++) {
      const i = byTime[s]
      if (tUs[i] >= 0 && !Number.isNaN(gazeXPx[i]) && !Number.isNaN(gazeYPx[i])) near.push(i)
    }
    if (near.length === 0) continue
    dx.push(mouseXPx[click] - medianOf(Float64Array.from(near, (i) => gazeXPx[i])))
    // If the page was scrolled meanwhile, the place moved with it.
    dy.push(mouseYPx[click] - medianOf(Float64Array.from(near, (i) => gazeYPx[i] + scrollYPx[i] - scrollYPx[click])))
  }
  return { dx: Float64Array.from(dx), dy: Float64Array.from(dy) }
}

/** Measures the disparities at validations, from gaze to target; those without gaze are left out. */
export function targetDisparities({ targetX, targetY, gazeX, gazeY }: Validations): Disparities {
  const known = Array.from(gazeX.keys()).filter((i) => !Number.isNaN(gazeX[i]) && !Number.isNaN(gazeY[i]))
  return {
    dx: Float64Array.from(known, (i) => targetX[i] - gazeX[i]),
    dy: Float64Array.from(known, (i) => targetY[i] - gazeY[i]),
  }
}

/**
 * Suggested offset, and the median distance between gaze and its places without and with it, in px.
 *
 * @property dxPx, dyPx, leftPx null if there are too few
 */
export type SuggestedOffset = {
  count: number
  dxPx: number | null
  dyPx: number | null
  distancePx: number | null
  leftPx: number | null
}

/**
 * Returns the median disparity of each axis, which is robust against single wrong places.
 *
 * @param countMin smallest number of places
 */
export function suggestOffset({ dx, dy }: Disparities, countMin: number): SuggestedOffset {
  const count = dx.length
  const distanceFrom = (x: number, y: number) =>
    medianOf(dx.map((value, i) => Math.sqrt((value - x) * (value - x) + (dy[i] - y) * (dy[i] - y))))
  const distancePx = count === 0 ? null : distanceFrom(0, 0)
  if (count < countMin) return { count, dxPx: null, dyPx: null, distancePx, leftPx: null }
  const [dxPx, dyPx] = [medianOf(dx.slice()), medianOf(dy.slice())]
  return { count, dxPx, dyPx, distancePx, leftPx: distanceFrom(dxPx, dyPx) }
}
