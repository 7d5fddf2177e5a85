import { isWithinTime, type TimeWindow } from '../time-window.ts'
import type { Pupil } from './pupil.ts'

/** Statistics of a pupil over some points; NaN if there is nothing to measure. */
export type PupilStats = {
  points: number
  /** Number of points with a size, and number of those with an interpolated size of an eye that contributes. */
  withSize: number
  interpolated: number
  mean: number
  /** Largest size, and the time of its first occurrence. */
  peak: number
  peakUs: number
}

function noStats(): PupilStats {
  return { points: 0, withSize: 0, interpolated: 0, mean: Number.NaN, peak: Number.NaN, peakUs: Number.NaN }
}

/**
 * Measures a pupil from item onset on, within a window, as a whole and in each AOI: docs/pupils.md, "Exports".
 *
 * @param tUs times of the pupil's points
 * @param window time window
 * @param aoiCount number of AOIs
 * @param aoisAt returns the AOIs at the time of a point, by index
 * @returns statistics of the whole, then of each AOI
 */
export function measureStats(
  tUs: Float64Array,
  { n, size, left, right, eyes }: Pupil,
  window: TimeWindow,
  aoiCount: number,
  aoisAt: (i: number) => readonly number[],
): PupilStats[] {
  const all = Array.from({ length: aoiCount + 1 }, noStats)
  const sums = new Float64Array(aoiCount + 1)
  const add = (place: number, i: number) => {
    const stats = all[place]
    stats.points++
    if (Number.isNaN(size[i])) return
    stats.withSize++
    const [ofLeft, ofRight] = [(eyes[i] & 1) !== 0, (eyes[i] & 2) !== 0]
    if ((ofLeft && left.isInterpolated[i] === 1) || (ofRight && right.isInterpolated[i] === 1)) stats.interpolated++
    sums[place] += size[i]
    if (!(size[i] <= stats.peak)) {
      stats.peak = size[i]
      stats.peakUs = tUs[i]
    }
  }
  for (let i = 0; i < n; i++) {
    if (tUs[i] < 0 || !isWithinTime(tUs[i], window)) continue
    add(0, i)
    for (const aoi of aoisAt(i)) add(aoi + 1, i)
  }
  for (const [place, stats] of all.entries()) stats.mean = sums[place] / stats.withSize
  return all
}
