import { LONGEST_JOINED_GAP_MS, pointsBetween, type Samples } from '../gaze.ts'

/** Numbers of a test's points after step 5 of docs/signal.md, and of the gaps at which segments end. */
export type PointCounts = { points: number; interpolated: number; cuts: number }

const JOINED_US = LONGEST_JOINED_GAP_MS * 1000

/** Counts the points of a test, the interpolated ones among them, and the gaps between its segments. */
export function countPoints({ n, tUs, gazeXPx, gazeYPx }: Samples): PointCounts {
  const times = new Float64Array(n)
  let valid = 0
  let isAscending = true
  for (let i = 0; i < n; i++) {
    if (tUs[i] < 0 || Number.isNaN(gazeXPx[i]) || Number.isNaN(gazeYPx[i])) continue
    if (valid > 0 && tUs[i] < times[valid - 1]) isAscending = false
    times[valid++] = tUs[i]
  }
  const ordered = times.subarray(0, valid)
  if (!isAscending) ordered.sort()
  const counts = { points: Math.min(1, valid), interpolated: 0, cuts: 0 }
  for (let i = 1; i < valid; i++) {
    const gapUs = ordered[i] - ordered[i - 1]
    if (gapUs === 0) continue
    const between = pointsBetween(gapUs)
    counts.points += 1 + between
    counts.interpolated += between
    if (gapUs > JOINED_US) counts.cuts++
  }
  return counts
}
