import type { FixationSettings, Positions } from '../fixation-list.ts'
import type { DisplayRectanglePx } from '../gaze.ts'
import { angleOf } from './positions-in.ts'

/** Runs of consecutive points, which are fixations if they last long enough: half-open, in ascending order. */
type Runs = { n: number; start: Int32Array; end: Int32Array }

export function createRuns(): Runs {
  return { n: 0, start: new Int32Array(256), end: new Int32Array(256) }
}

export function addRun(runs: Runs, start: number, end: number): void {
  if (runs.n === runs.start.length) {
    const [starts, ends] = [runs.start, runs.end]
    runs.start = new Int32Array(2 * runs.n)
    runs.end = new Int32Array(2 * runs.n)
    runs.start.set(starts)
    runs.end.set(ends)
  }
  runs.start[runs.n] = start
  runs.end[runs.n++] = end
}

/**
 * Merges runs of a segment that are close in time and space: docs/detectors.md, "Merging". A merged run has all points
 * from its first to its last, including those between.
 *
 * @param runs of one segment, overwritten
 * @param positions of all points, in percent of the displayed item; Fick angles if `mergeDistanceDeg` is above 0
 * @returns the number of runs that were merged with the one before
 */
export function mergeRuns(
  runs: Runs,
  tUs: Float64Array,
  { x, y, stride }: Positions,
  { widthPx, heightPx }: DisplayRectanglePx,
  { mergeGapMs, mergeDistancePercent, mergeDistanceDeg }: FixationSettings,
): number {
  if (mergeGapMs === 0 || runs.n < 2) return 0
  const { start, end } = runs
  const gapUs = mergeGapMs * 1000
  const near = mergeDistanceDeg > 0 ? mergeDistanceDeg : (mergeDistancePercent / 100) * widthPx
  let last = 0
  // Sums of the run into which others are merged, so that no point is added twice.
  let [sumX, sumY] = sumOf(x, y, stride, start[0], end[0], 0, 0)
  for (let r = 1; r < runs.n; r++) {
    const [nextX, nextY] = sumOf(x, y, stride, start[r], end[r], 0, 0)
    if (tUs[start[r]] - tUs[end[last] - 1] < gapUs) {
      const [count, nextCount] = [end[last] - start[last], end[r] - start[r]]
      const [fromX, fromY, toX, toY] = [sumX / count, sumY / count, nextX / nextCount, nextY / nextCount]
      const distance =
        mergeDistanceDeg > 0
          ? angleOf(toX - fromX, toY - fromY, (fromY + toY) / 2)
          : pxOf(((toX - fromX) / 100) * widthPx, ((toY - fromY) / 100) * heightPx)
      if (distance < near) {
        const from = end[last]
        end[last] = end[r]
        ;[sumX, sumY] = sumOf(x, y, stride, from, end[r], sumX, sumY)
        continue
      }
    }
    last++
    start[last] = start[r]
    end[last] = end[r]
    ;[sumX, sumY] = [nextX, nextY]
  }
  const merged = runs.n - last - 1
  runs.n = last + 1
  return merged
}

function pxOf(dx: number, dy: number): number {
  return Math.sqrt(dx * dx + dy * dy)
}

/** Adds the positions of points, in the order of time, to sums. */
function sumOf(
  x: Float64Array,
  y: Float64Array,
  stride: 1 | 2,
  start: number,
  end: number,
  sumX: number,
  sumY: number,
): [number, number] {
  for (let i = start; i < end; i++) {
    sumX += x[i * stride]
    sumY += y[i * stride]
  }
  return [sumX, sumY]
}
