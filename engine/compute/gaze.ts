import type { Eyes } from '../model/eye-columns.ts'
import { type ColumnsOf, sized } from '../model/struct.ts'
import { createPointColumns, movingMedians, type PointColumns } from './median.ts'

/** Returns the index of the point at the time of recorded sample `i`; -1 if the sample is lost or before onset. */
export function pointOfSample(gaze: Gaze, i: number): number {
  const ordered = gaze.orderOfSample[i]
  return ordered === -1 ? -1 : gaze.pointOfOrdered[ordered]
}

/** Constants of the filter: docs/signal.md, "Settings and constants". */
export const INTERPOLATION_STEP_MS = 17
export const INTERPOLATION_HZ = 60
export const LONGEST_JOINED_GAP_MS = 50

/** Recorded samples of a test: arrays of length n, NaN if lost, `isClick` 0 or 1. */
export type Samples = {
  n: number
  tUs: Float64Array
  gazeXPx: Float64Array
  gazeYPx: Float64Array
  scrollYPx: Float64Array
  mouseXPx: Float64Array
  mouseYPx: Float64Array
  isClick: Uint8Array
  /** Requested columns of each eye. */
  eyes?: Eyes
}

/** Returns whether a test has a valid sample: gaze at or after item onset. */
export function hasGaze({ n, tUs, gazeXPx, gazeYPx }: Samples): boolean {
  for (let i = 0; i < n; i++) if (tUs[i] >= 0 && !Number.isNaN(gazeXPx[i]) && !Number.isNaN(gazeYPx[i])) return true
  return false
}

export type DisplayRectanglePx = { leftPx: number; topPx: number; widthPx: number; heightPx: number }

/** Returns the height of a displayed item in widths of it; 1 if it has no size. */
export function heightInWidths(display: DisplayRectanglePx | null): number {
  return display === null ? 1 : display.heightPx / display.widthPx
}

/** Columns of samples on their way to gaze: of the recorded ones, and of the valid ones among them. */
const SAMPLES_OF_GAZE = {
  /** Index of each recorded sample among the ordered ones, -1 if it is lost or before onset. */
  orderOfSample: Int32Array,
  /** Index of the point at the time of each ordered sample. */
  pointOfOrdered: Int32Array,
  /** Valid samples: time, position, index of the recorded sample. */
  validTUs: Float64Array,
  validXPercent: Float64Array,
  validYPercent: Float64Array,
  validSample: Int32Array,
}

/**
 * Gaze of a test after step 6 of docs/signal.md: n points in ascending time, including interpolated ones, in percent of
 * the displayed item. The arrays are reused from test to test and longer than n; values beyond n are undefined.
 */
export type Gaze = PointColumns &
  ColumnsOf<typeof SAMPLES_OF_GAZE> & {
    n: number
    isInterpolated: Uint8Array
    /** Segment k has the points from segmentStart[k] to segmentStart[k + 1]; length segmentCount + 1. */
    segmentStart: Int32Array
    segmentCount: number
    /** Number of the valid samples in ascending time, with those of equal time merged. */
    validCount: number
  }

export function createGaze(): Gaze {
  return emptyGaze(1024)
}

/**
 * Converts samples to denoised gaze (docs/signal.md, steps 1 to 6): valid samples, normalized, ordered, segmented,
 * interpolated, filtered by the moving median.
 *
 * @param display displayed rectangle; null only without samples @param movingMedianRangeMs R, in ms
 * @param gaze overwritten; grown if too short
 */
export function denoise(
  samples: Samples,
  display: DisplayRectanglePx | null,
  movingMedianRangeMs: number,
  gaze: Gaze,
): void {
  gaze.n = 0
  gaze.segmentCount = 0
  gaze.segmentStart[0] = 0
  gaze.validCount = 0
  if (samples.n === 0 || display === null) return
  if (gaze.orderOfSample.length < samples.n) Object.assign(gaze, emptyGaze(Math.ceil(samples.n * 1.25)))
  const valid = normalizeValid(samples, display, gaze)
  const distinct = order(valid, gaze)
  gaze.validCount = distinct
  segmentAndInterpolate(distinct, gaze)
  for (let k = 0; k < gaze.segmentCount; k++) {
    const start = gaze.segmentStart[k]
    const end = gaze.segmentStart[k + 1]
    movingMedians(gaze, start, end, movingMedianRangeMs * 1000)
  }
}

/**
 * Normalizes the valid samples (steps 1 and 2) and returns their number; `orderOfSample` maps recorded samples to them.
 */
function normalizeValid(samples: Samples, display: DisplayRectanglePx, gaze: Gaze): number {
  const { tUs, gazeXPx, gazeYPx, scrollYPx } = samples
  const { leftPx, topPx, widthPx, heightPx } = display
  const { validTUs, validXPercent, validYPercent, validSample, orderOfSample } = gaze
  let n = 0
  for (let i = 0; i < samples.n; i++) {
    const x = gazeXPx[i]
    const y = gazeYPx[i]
    if (Number.isNaN(x) || Number.isNaN(y) || tUs[i] < 0) {
      orderOfSample[i] = -1
      continue
    }
    validTUs[n] = tUs[i]
    // Adding 0 turns -0 into 0, so that equal values have the same bits.
    validXPercent[n] = ((x - leftPx) / widthPx) * 100 + 0
    validYPercent[n] = ((y + scrollYPx[i] - topPx) / heightPx) * 100 + 0
    validSample[n] = i
    orderOfSample[i] = n++
  }
  return n
}

/**
 * Sorts valid samples by time and merges equal times into their mean (step 3). Overwrites the beginning of the valid
 * arrays, writes the index of each sample to `orderOfSample`, and returns their number.
 */
function order(n: number, gaze: Gaze): number {
  const { validTUs, validXPercent, validYPercent, validSample, orderOfSample } = gaze
  let ascending = true
  for (let i = 1; i < n && ascending; i++) ascending = validTUs[i] > validTUs[i - 1]
  if (ascending) return n
  const t = validTUs.slice(0, n)
  const x = validXPercent.slice(0, n)
  const y = validYPercent.slice(0, n)
  const byTime = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => t[a] - t[b] || a - b)
  let distinct = 0
  for (let i = 0; i < n; ) {
    let sumX = 0
    let sumY = 0
    let end = i
    for (; end < n && t[byTime[end]] === t[byTime[i]]; end++) {
      sumX += x[byTime[end]]
      sumY += y[byTime[end]]
      orderOfSample[validSample[byTime[end]]] = distinct
    }
    validTUs[distinct] = t[byTime[i]]
    validXPercent[distinct] = sumX / (end - i)
    validYPercent[distinct] = sumY / (end - i)
    distinct++
    i = end
  }
  return distinct
}

const STEP_US = INTERPOLATION_STEP_MS * 1000
const JOINED_US = LONGEST_JOINED_GAP_MS * 1000

/** Splits the n ordered samples into segments and interpolates (steps 4 and 5). */
function segmentAndInterpolate(n: number, gaze: Gaze): void {
  const { validTUs, validXPercent, validYPercent, pointOfOrdered } = gaze
  const { tUs, rawPercent, isInterpolated, segmentStart } = gaze
  let p = 0
  let segments = 0
  // Most gaps of a recording are equal, so the result for a gap is cached for the next one.
  let known = 0
  let offset = 0
  let offset2 = 0
  for (let i = 0; i < n; i++) {
    const t = validTUs[i]
    const x = validXPercent[i]
    const y = validYPercent[i]
    const gap = i === 0 ? Number.POSITIVE_INFINITY : t - validTUs[i - 1]
    if (gap > JOINED_US) {
      segmentStart[segments++] = p
    } else if (gap >= STEP_US) {
      const isLong = gap > 2 * STEP_US
      if (gap !== known) {
        known = gap
        offset = wholeMs(isLong ? gap / 3 : gap / 2)
        offset2 = wholeMs((2 * gap) / 3)
      }
      for (let d = offset; d > 0; d = isLong && d === offset ? offset2 : 0) {
        const part = d / gap
        tUs[p] = validTUs[i - 1] + d
        rawPercent[2 * p] = validXPercent[i - 1] + (x - validXPercent[i - 1]) * part
        rawPercent[2 * p + 1] = validYPercent[i - 1] + (y - validYPercent[i - 1]) * part
        isInterpolated[p++] = 1
      }
    }
    tUs[p] = t
    rawPercent[2 * p] = x
    rawPercent[2 * p + 1] = y
    isInterpolated[p] = 0
    pointOfOrdered[i] = p++
  }
  segmentStart[segments] = p
  gaze.segmentCount = segments
  gaze.n = p
}

/** Returns the number of points that are interpolated between valid samples that are so far apart. */
export function pointsBetween(gapUs: number): 0 | 1 | 2 {
  if (gapUs < STEP_US || gapUs > JOINED_US) return 0
  return gapUs > 2 * STEP_US ? 2 : 1
}

function wholeMs(us: number): number {
  return Math.floor(us / 1000) * 1000
}

/** Allocates room for `capacity` recorded samples; at most two points are interpolated between neighbours. */
function emptyGaze(capacity: number): Gaze {
  return {
    n: 0,
    ...createPointColumns(3 * capacity),
    isInterpolated: new Uint8Array(3 * capacity),
    segmentStart: new Int32Array(capacity + 1),
    segmentCount: 0,
    validCount: 0,
    ...sized(SAMPLES_OF_GAZE, capacity),
  }
}
