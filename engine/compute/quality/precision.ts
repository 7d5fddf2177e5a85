import type { Fixations } from '../fixation-list.ts'
import type { Gaze } from '../gaze.ts'
import { medianOf } from '../order-statistics.ts'
import { floats, integers } from './scratch.ts'

/** Precision of gaze, in the unit of its positions: medians over groups; NaN if no group has a value. */
export type Precision = { rmsS2s: number; std: number; bcea68: number }

/** Groups of positions, half-open from `start` to `end`, with scratch memory for three values of each. */
type Groups = { start: Int32Array; end: Int32Array; n: number; room: Float64Array }

/** Positions at distinct times, ascending; `isPair` is 1 if a position and the previous one are a pair. */
export type PrecisionSamples = { x: Float64Array; y: Float64Array; isPair: Int32Array }

/** 2π ln(1 / 0.32): for an ellipse that contains 68 % of a normal distribution. */
const BCEA68 = 2 * Math.PI * Math.log(1 / 0.32)
/**
 * Tolerance, as a share of the product of variances: below it, the rest is a rounding error, and positions are on a
 * line.
 */
const LINE = 1e-12

/** Measures the precision of positions over groups: docs/metrics.md, "Precision". */
export function precisionOf({ x, y, isPair }: PrecisionSamples, { start, end, n, room }: Groups): Precision {
  const [rms, std, bcea] = [room.subarray(0, n), room.subarray(n, 2 * n), room.subarray(2 * n)]
  let rmsCount = 0
  let stdCount = 0
  let bceaCount = 0
  for (let g = 0; g < n; g++) {
    const from = start[g]
    const to = end[g]
    const count = to - from
    let pairs = 0
    let steps = 0
    let sumX = 0
    let sumY = 0
    for (let i = from; i < to; i++) {
      sumX += x[i]
      sumY += y[i]
      if (i === from || isPair[i] === 0) continue
      const dx = x[i] - x[i - 1]
      const dy = y[i] - y[i - 1]
      steps += dx * dx + dy * dy
      pairs++
    }
    if (pairs > 0) rms[rmsCount++] = Math.sqrt(steps / pairs)
    if (count < 2) continue
    const meanX = sumX / count
    const meanY = sumY / count
    let xx = 0
    let yy = 0
    let xy = 0
    for (let i = from; i < to; i++) {
      const dx = x[i] - meanX
      const dy = y[i] - meanY
      xx += dx * dx
      yy += dy * dy
      xy += dx * dy
    }
    std[stdCount++] = Math.sqrt((xx + yy) / count)
    if (count > 2) bcea[bceaCount++] = ellipseArea(xx / (count - 1), yy / (count - 1), xy / (count - 1))
  }
  return {
    rmsS2s: medianOf(rms.subarray(0, rmsCount)),
    std: medianOf(std.subarray(0, stdCount)),
    bcea68: medianOf(bcea.subarray(0, bceaCount)),
  }
}

function ellipseArea(xx: number, yy: number, xy: number): number {
  const rest = xx * yy - xy * xy
  return rest <= LINE * xx * yy ? 0 : BCEA68 * Math.sqrt(rest)
}

/**
 * Returns the positions of each fixation.
 *
 * @param positionOfPoint for each gaze point, the first position at or after its time
 */
export function fixationGroups({ n, firstPoint, endPoint }: Fixations, positionOfPoint: Int32Array): Groups {
  const [start, end] = [integers(n), integers(n)]
  for (let f = 0; f < n; f++) {
    start[f] = positionOfPoint[firstPoint[f]]
    end[f] = positionOfPoint[endPoint[f]]
  }
  return { start, end, n, room: floats(3 * n) }
}

const WINDOW_US = 200_000

/**
 * Returns the positions of windows of 200 ms: one starts at each position of a segment with another position at least
 * 200 ms later.
 *
 * @param tUs of the positions
 * @param positionOfPoint for each gaze point, the first position at or after its time
 */
export function windowGroups(
  { segmentStart, segmentCount }: Pick<Gaze, 'segmentStart' | 'segmentCount'>,
  tUs: Float64Array,
  positionOfPoint: Int32Array,
): Groups {
  const [start, end] = [integers(tUs.length), integers(tUs.length)]
  let n = 0
  for (let k = 0; k < segmentCount; k++) {
    const last = positionOfPoint[segmentStart[k + 1]]
    let to = positionOfPoint[segmentStart[k]]
    for (let from = to; from < last; from++) {
      while (to < last && tUs[to] < tUs[from] + WINDOW_US) to++
      if (to === last) break
      start[n] = from
      end[n++] = to
    }
  }
  return { start, end, n, room: floats(3 * n) }
}
