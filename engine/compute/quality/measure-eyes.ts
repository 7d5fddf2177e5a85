import type { Eyes } from '../../model/eye-columns.ts'
import type { DisplayRectanglePx } from '../gaze.ts'
import { medianOf } from '../order-statistics.ts'
import { angleBetween, directionOf, type ScreenGeometry } from './degrees.ts'
import type { InUnits } from './measure-quality.ts'
import { floats } from './scratch.ts'

/**
 * Returns the percentage of samples from onset on without a value; NaN without samples.
 *
 * @param values length n, as tUs
 */
export function lossPercents(tUs: Float64Array, values: Float64Array): number {
  let [recorded, lost] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    if (tUs[i] < 0) continue
    recorded++
    if (Number.isNaN(values[i])) lost++
  }
  return (100 * lost) / recorded
}

/**
 * Returns the rate of blinks per minute, from item onset to the last point; NaN for an empty time span.
 *
 * @param blinks blinks, as the points before and after each
 */
export function blinksPerMinute({ n, tUs }: { n: number; tUs: Float64Array }, blinks: { before: number }[]): number {
  const lastUs = n === 0 ? 0 : tUs[n - 1]
  const begun = blinks.filter(({ before }) => tUs[before] >= 0).length
  return lastUs > 0 ? begun / (lastUs / 60e6) : Number.NaN
}

/**
 * Measures the disparity of the eyes: the median distance between their gazes, over the samples from onset on with
 * both; docs/metrics.md, "Eyes".
 *
 * @param eyes columns of length n, as tUs
 * @returns NaN without such a sample; null for degrees without geometry
 */
export function measureDisparity(
  tUs: Float64Array,
  { leftGazeXPx: lx, leftGazeYPx: ly, rightGazeXPx: rx, rightGazeYPx: ry }: Required<Eyes>,
  { widthPx, heightPx }: DisplayRectanglePx,
  screen: ScreenGeometry | null,
): InUnits<number> {
  const [px, percents, degrees] = [floats(tUs.length), floats(tUs.length), floats(screen ? tUs.length : 0)]
  let n = 0
  for (let i = 0; i < tUs.length; i++) {
    const [dx, dy] = [rx[i] - lx[i], ry[i] - ly[i]]
    if (tUs[i] < 0 || Number.isNaN(dx) || Number.isNaN(dy)) continue
    px[n] = Math.sqrt(dx * dx + dy * dy)
    percents[n] = Math.sqrt(((dx / widthPx) * 100) ** 2 + ((dy / heightPx) * 100) ** 2)
    if (screen) degrees[n] = angleBetween(directionOf(screen, lx[i], ly[i]), directionOf(screen, rx[i], ry[i]))
    n++
  }
  const median = (values: Float64Array) => (n === 0 ? Number.NaN : medianOf(values.subarray(0, n)))
  return { px: median(px), percents: median(percents), degrees: screen && median(degrees) }
}
