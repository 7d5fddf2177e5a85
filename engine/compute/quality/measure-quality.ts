import type { Validations } from '../../model/study.ts'
import type { DistinctTimes } from '../distinct-times.ts'
import type { Fixations } from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze, Samples } from '../gaze.ts'
import { medianOf, smallest } from '../order-statistics.ts'
import { angleBetween, directionOf, fickAngles, type ScreenGeometry } from './degrees.ts'
import { fixationGroups, type Precision, type PrecisionSamples, precisionOf, windowGroups } from './precision.ts'
import { floats, integers } from './scratch.ts'

/** Counts and intervals of a test's samples from onset on; NaN if there is nothing to measure. */
type Sampling = {
  sampleCount: number
  validCount: number
  intervalMedianUs: number
  intervalP99Us: number
}

/** Measures the samples of a test: docs/metrics.md, "Samples". */
export function measureSampling(samples: Samples, times: DistinctTimes): Sampling {
  const { tUs, gazeXPx, gazeYPx } = samples
  let [sampleCount, validCount] = [0, 0]
  for (let i = 0; i < samples.n; i++) {
    if (tUs[i] < 0) continue
    sampleCount++
    if (!Number.isNaN(gazeXPx[i]) && !Number.isNaN(gazeYPx[i])) validCount++
  }
  const steps = floats(Math.max(0, times.n - 1))
  for (let i = 0; i < steps.length; i++) steps[i] = times.tUs[i + 1] - times.tUs[i]
  const intervalP99Us = steps.length === 0 ? Number.NaN : smallest(steps, Math.ceil((99 * steps.length) / 100) - 1)
  return { sampleCount, validCount, intervalMedianUs: medianOf(steps), intervalP99Us }
}

/** Gaps between valid samples, including the time from onset to the first and from the last to the end of the test. */
type Gaps = { count: number; longestUs: number }

const GAP_US = 50_000

/** Measures the gaps of a test. @param durationUs of the test */
export function measureGaps({ n, isInterpolated, tUs }: Gaze, durationUs: number): Gaps {
  const gaps = { count: 0, longestUs: 0 }
  let previousUs = 0
  const add = (t: number) => {
    if (t - previousUs > GAP_US) gaps.count++
    gaps.longestUs = Math.max(gaps.longestUs, t - previousUs)
    previousUs = t
  }
  for (let p = 0; p < n; p++) if (isInterpolated[p] === 0) add(tUs[p])
  add(durationUs)
  return gaps
}

/** Values in each unit; null for degrees without geometry. */
export type InUnits<T> = { percents: T; px: T; degrees: T | null }
const PAIR_US = 50_000

/** Measures the precision of gaze on the screen: docs/metrics.md, "Precision". */
export function measurePrecision(
  samples: Samples,
  gaze: Gaze,
  times: DistinctTimes,
  fixations: Fixations,
  display: DisplayRectanglePx,
  screen: ScreenGeometry | null,
): { fixations: InUnits<Precision>; windows: InUnits<Precision> } {
  const { tUs, px, isPair } = positionsOnScreen(samples, gaze, times)
  const positionOfPoint = integers(gaze.n + 1)
  for (let p = 0, position = 0; p < gaze.n; p++) {
    positionOfPoint[p] = position
    if (gaze.isInterpolated[p] === 0) position++
    positionOfPoint[p + 1] = position
  }
  const positions: InUnits<PrecisionSamples> = {
    px: { ...px, isPair },
    percents: { x: inPercent(px.x, display.widthPx), y: inPercent(px.y, display.heightPx), isPair },
    degrees: screen && { ...fickAngles(screen, px), isPair },
  }
  const over = (groups: ReturnType<typeof windowGroups>): InUnits<Precision> => ({
    percents: precisionOf(positions.percents, groups),
    px: precisionOf(positions.px, groups),
    degrees: positions.degrees && precisionOf(positions.degrees, groups),
  })
  return {
    fixations: over(fixationGroups(fixations, positionOfPoint)),
    windows: over(windowGroups(gaze, tUs, positionOfPoint)),
  }
}

function inPercent(px: Float64Array, sizePx: number): Float64Array {
  const percent = floats(px.length)
  for (let i = 0; i < px.length; i++) percent[i] = (px[i] / sizePx) * 100
  return percent
}

type Points = { x: Float64Array; y: Float64Array }

/** Returns the recorded gaze at each distinct valid time, in px of the window: the mean of samples at the same time. */
function positionsOnScreen(
  samples: Samples,
  gaze: Gaze,
  times: DistinctTimes,
): { tUs: Float64Array; px: Points; isPair: Int32Array } {
  const positionOfTime = integers(gaze.n)
  const kept = integers(times.n)
  let n = 0
  for (let i = 0; i < times.n; i++) {
    if (times.point[i] === -1) continue
    positionOfTime[times.point[i]] = n
    kept[n++] = i
  }
  const [x, y, counts] = [floats(n), floats(n), integers(n)]
  for (let i = 0; i < samples.n; i++) {
    const ordered = gaze.orderOfSample[i]
    if (ordered === -1) continue
    const position = positionOfTime[gaze.pointOfOrdered[ordered]]
    x[position] += samples.gazeXPx[i]
    y[position] += samples.gazeYPx[i]
    counts[position]++
  }
  const isPair = integers(n)
  const tUs = floats(n)
  for (let p = 0; p < n; p++) {
    x[p] /= counts[p]
    y[p] /= counts[p]
    tUs[p] = times.tUs[kept[p]]
    // A time between them has only lost samples.
    if (p > 0 && kept[p] === kept[p - 1] + 1 && tUs[p] - tUs[p - 1] <= PAIR_US) isPair[p] = 1
  }
  return { tUs, px: { x, y }, isPair }
}

/** Median distances from mouse to gaze at clicks; NaN if no click has gaze. */
type ClickDistances = { count: number } & InUnits<number>

/** Measures the distance of gaze from clicks: docs/metrics.md, "Gaze and clicks". */
export function measureClicks(
  samples: Samples,
  gaze: Gaze,
  { leftPx, topPx, widthPx, heightPx }: DisplayRectanglePx,
  screen: ScreenGeometry | null,
): ClickDistances {
  const { isClick, tUs, mouseXPx, mouseYPx, scrollYPx } = samples
  const distances: { percents: number[]; px: number[]; degrees: number[] } = { percents: [], px: [], degrees: [] }
  for (let i = isClick.indexOf(1); i !== -1; i = isClick.indexOf(1, i + 1)) {
    if (!(tUs[i] >= 0) || Number.isNaN(mouseXPx[i]) || Number.isNaN(mouseYPx[i])) continue
    const at = gazeAt(gaze, tUs[i])
    if (at === null) continue
    const dx = ((mouseXPx[i] - leftPx) / widthPx) * 100 - at.x
    const dy = ((mouseYPx[i] + scrollYPx[i] - topPx) / heightPx) * 100 - at.y
    distances.percents.push(Math.sqrt(dx * dx + dy * dy))
    const [dxPx, dyPx] = [(dx / 100) * widthPx, (dy / 100) * heightPx]
    distances.px.push(Math.sqrt(dxPx * dxPx + dyPx * dyPx))
    if (screen === null) continue
    const seen = directionOf(screen, leftPx + (at.x / 100) * widthPx, topPx + (at.y / 100) * heightPx - scrollYPx[i])
    distances.degrees.push(angleBetween(directionOf(screen, mouseXPx[i], mouseYPx[i]), seen))
  }
  const median = (values: number[]) => medianOf(Float64Array.from(values))
  return {
    count: distances.px.length,
    percents: median(distances.percents),
    px: median(distances.px),
    degrees: screen && median(distances.degrees),
  }
}

/** Returns denoised gaze at a time: at a point, or interpolated between two of a segment; null outside all segments. */
function gazeAt(
  { segmentStart, segmentCount, tUs, xPercent, yPercent }: Gaze,
  t: number,
): { x: number; y: number } | null {
  for (let k = 0; k < segmentCount; k++) {
    const [start, last] = [segmentStart[k], segmentStart[k + 1] - 1]
    if (t > tUs[last]) continue
    if (t < tUs[start]) return null
    let p = start
    while (tUs[p] < t) p++
    if (tUs[p] === t) return { x: xPercent[p], y: yPercent[p] }
    const part = (t - tUs[p - 1]) / (tUs[p] - tUs[p - 1])
    return {
      x: xPercent[p - 1] + (xPercent[p] - xPercent[p - 1]) * part,
      y: yPercent[p - 1] + (yPercent[p] - yPercent[p - 1]) * part,
    }
  }
  return null
}

/** Accuracy of gaze: mean distances from validation targets; NaN without any. */
type Accuracy = { count: number; px: number; degrees: number | null }

/** Measures accuracy from a participant's validations: docs/metrics.md, "Accuracy". */
export function measureAccuracy(
  { targetX, targetY, gazeX, gazeY }: Validations,
  screen: ScreenGeometry | null,
): Accuracy {
  let [count, px, degrees] = [0, 0, 0]
  for (let i = 0; i < targetX.length; i++) {
    if (Number.isNaN(gazeX[i]) || Number.isNaN(gazeY[i])) continue
    const [dx, dy] = [gazeX[i] - targetX[i], gazeY[i] - targetY[i]]
    px += Math.sqrt(dx * dx + dy * dy)
    if (screen)
      degrees += angleBetween(directionOf(screen, targetX[i], targetY[i]), directionOf(screen, gazeX[i], gazeY[i]))
    count++
  }
  return { count, px: px / count, degrees: screen && degrees / count }
}
