import { medianOf } from '../order-statistics.ts'

/** Codes for why a pupil size was removed, in the order of the steps; 0 for a kept size. */
export const KEPT = 0
const LOST = 1
const OUT_OF_RANGE = 2
const EYELID = 3
const TOO_FAST = 4
const PADDING = 5
const ISLAND = 6
/** Names of the reasons, in the same order. */
export const REMOVED_REASONS = ['lost', 'range', 'eyelid', 'speed', 'padding', 'island'] as const

/** Settings of one eye: docs/pupils.md, steps 2 to 7. */
export type PupilSettings = {
  pupilMinMm: number
  pupilMaxMm: number
  blinkMinMs: number
  blinkMaxMs: number
  pupilSpeedMad: number
  pupilPadMs: number
  pupilIslandMs: number
  pupilGapMs: number
  pupilSmoothingMs: number
  pupilBaselineFromMs: number
  pupilBaselineToMs: number
}

/** Sizes of one eye's pupil after cleaning: columns of length n, or longer. */
export type CleanEye = {
  /** NaN for unknown. */
  size: Float64Array
  /** One of the reasons above. */
  removed: Uint8Array
  isInterpolated: Uint8Array
  /** Blinks, as the kept points before and after each. */
  blinks: { before: number; after: number }[]
}

/** Shortest and longest gap that is padded (Kret and Sjak-Shie 2019); runs lie between gaps of the shortest or more. */
export const GAP_US = 75_000
export const PADDED_MAX_US = 2_000_000
/** Shortest loss that may be a blink, in steps between samples: more than one sample is lost. */
const BLINK_MIN_STEPS = 2.5
/** Hershman et al. (2018): smoothing window for the detection of eyelids; gap below which blinks are merged. */
const EYELID_SMOOTHING_US = 10_000
const EYELID_MERGED_US = 100_000
/** Longest movement of an eyelid; a longer change is one of the pupil. */
const EYELID_MAX_US = 100_000

export function createCleanEye(capacity: number): CleanEye {
  return {
    size: new Float64Array(capacity),
    removed: new Uint8Array(capacity),
    isInterpolated: new Uint8Array(capacity),
    blinks: [],
  }
}

/** Scratch memory of a thread: indexes of kept points, and numbers for them. */
let kept = new Int32Array(1024)
let scratch = new Float64Array(1024)
let speed = new Float64Array(1024)

/**
 * Removes invalid sizes of one eye's pupil, and interpolates short gaps: docs/pupils.md, steps 2 to 7.
 *
 * @param tUs whole µs, strictly ascending, length n
 * @param size as recorded, NaN for lost, length n
 * @param isMm true if sizes are diameters in mm; only these are checked against a range
 * @param eye overwritten; of length n or more
 */
export function cleanEye(
  tUs: Float64Array,
  size: Float64Array,
  n: number,
  isMm: boolean,
  settings: PupilSettings,
  eye: CleanEye,
): void {
  if (kept.length < n) {
    kept = new Int32Array(2 * n)
    scratch = new Float64Array(2 * n)
    speed = new Float64Array(2 * n)
  }
  const { removed } = eye
  const [min, max] = isMm ? [settings.pupilMinMm, settings.pupilMaxMm] : [0, Number.POSITIVE_INFINITY]
  let count = 0
  for (let i = 0; i < n; i++) {
    const s = size[i]
    const isKept = s >= min && s <= max
    removed[i] = isKept ? KEPT : Number.isNaN(s) ? LOST : OUT_OF_RANGE
    kept[count] = i
    if (isKept) count++
  }
  eye.blinks = removeEyelids(tUs, size, n, removed, count, settings)
  if (eye.blinks !== NO_BLINKS) count = dropRemoved(removed, count)
  if (removeFast(tUs, size, removed, count, settings.pupilSpeedMad)) count = dropRemoved(removed, count)
  if (pad(tUs, removed, count, settings.pupilPadMs * 1000)) count = dropRemoved(removed, count)
  if (removeIslands(tUs, removed, count, settings.pupilIslandMs * 1000)) count = dropRemoved(removed, count)
  interpolate(tUs, size, n, count, settings.pupilGapMs * 1000, eye)
}

/** Drops points that are no longer kept from `kept`, and returns the number of the others. */
function dropRemoved(removed: Uint8Array, count: number): number {
  let left = 0
  for (let k = 0; k < count; k++) {
    const i = kept[k]
    kept[left] = i
    if (removed[i] === KEPT) left++
  }
  return left
}

/** Result for a test without gaps. */
const NO_BLINKS: CleanEye['blinks'] = []

/**
 * Removes the points at which an eyelid increasingly covers the pupil before a gap, or uncovers it after the gap (step
 * 3), and returns the blinks.
 */
function removeEyelids(
  tUs: Float64Array,
  size: Float64Array,
  n: number,
  removed: Uint8Array,
  count: number,
  { blinkMinMs, blinkMaxMs }: PupilSettings,
): CleanEye['blinks'] {
  if (!hasGap(tUs, count, blinkMinMs * 1000)) return NO_BLINKS
  const minUs = Math.max(blinkMinMs * 1000, BLINK_MIN_STEPS * medianStep(tUs, n))
  if (!hasGap(tUs, count, minUs)) return NO_BLINKS
  const smoothed = (k: number) => smoothedAt(tUs, size, count, k)
  const gaps: { before: number; after: number }[] = []
  for (let k = 1; k < count; k++) {
    const startUs = tUs[kept[k - 1]]
    const endUs = tUs[kept[k]]
    if (endUs - startUs < minUs) continue
    let before = k - 1
    while (
      before > 0 &&
      startUs - tUs[kept[before - 1]] <= EYELID_MAX_US &&
      tUs[kept[before]] - tUs[kept[before - 1]] < minUs &&
      smoothed(before - 1) > smoothed(before)
    ) {
      before--
    }
    let after = k
    while (
      after < count - 1 &&
      tUs[kept[after + 1]] - endUs <= EYELID_MAX_US &&
      tUs[kept[after + 1]] - tUs[kept[after]] < minUs &&
      smoothed(after + 1) > smoothed(after)
    ) {
      after++
    }
    const last = gaps.at(-1)
    if (last !== undefined && tUs[kept[before]] - tUs[kept[last.after]] < EYELID_MERGED_US) last.after = after
    else gaps.push({ before, after })
  }
  const blinks: CleanEye['blinks'] = []
  for (const { before, after } of gaps) {
    for (let k = before + 1; k < after; k++) removed[kept[k]] = EYELID
    const blink = { before: kept[before], after: kept[after] }
    if (tUs[blink.after] - tUs[blink.before] <= blinkMaxMs * 1000) blinks.push(blink)
  }
  return blinks
}

/** Returns whether two neighbours among the kept points are at least `minUs` apart. */
function hasGap(tUs: Float64Array, count: number, minUs: number): boolean {
  for (let k = 1; k < count; k++) if (tUs[kept[k]] - tUs[kept[k - 1]] >= minUs) return true
  return false
}

/** Returns the median step between the n points, with or without a size. */
function medianStep(tUs: Float64Array, n: number): number {
  for (let i = 1; i < n; i++) scratch[i - 1] = tUs[i] - tUs[i - 1]
  return medianOf(scratch.subarray(0, n - 1))
}

/** Returns the mean of the kept sizes within half the window's width. */
function smoothedAt(tUs: Float64Array, size: Float64Array, count: number, k: number): number {
  const t = tUs[kept[k]]
  let first = k
  while (first > 0 && 2 * (t - tUs[kept[first - 1]]) <= EYELID_SMOOTHING_US) first--
  let sum = 0
  let end = first
  while (end < count && 2 * (tUs[kept[end]] - t) <= EYELID_SMOOTHING_US) sum += size[kept[end++]]
  return sum / (end - first)
}

/** Removes points whose size changes too fast (step 4), and returns whether there were any. */
function removeFast(tUs: Float64Array, size: Float64Array, removed: Uint8Array, count: number, mads: number): boolean {
  if (mads === 0 || count < 2) return false
  let before = 0
  for (let k = 0; k + 1 < count; k++) {
    const i = kept[k]
    const next = kept[k + 1]
    const after = Math.abs(size[next] - size[i]) / (tUs[next] - tUs[i])
    speed[k] = before > after ? before : after
    before = after
  }
  speed[count - 1] = before
  const some = scratch.subarray(0, count)
  some.set(speed.subarray(0, count))
  const median = medianOf(some)
  for (let k = 0; k < count; k++) some[k] = Math.abs(speed[k] - median)
  const mad = medianOf(some)
  if (mad === 0) return false
  const fastest = median + mads * mad
  let isAny = false
  for (let k = 0; k < count; k++) {
    if (speed[k] <= fastest) continue
    removed[kept[k]] = TOO_FAST
    isAny = true
  }
  return isAny
}

/** Removes points close to a gap (step 5), and returns whether there were any. */
function pad(tUs: Float64Array, removed: Uint8Array, count: number, padUs: number): boolean {
  if (padUs === 0) return false
  let isAny = false
  for (let k = 1; k < count; k++) {
    const startUs = tUs[kept[k - 1]]
    const endUs = tUs[kept[k]]
    if (endUs - startUs < GAP_US || endUs - startUs > PADDED_MAX_US) continue
    for (let j = k - 1; j >= 0 && startUs - tUs[kept[j]] < padUs; j--) removed[kept[j]] = PADDING
    for (let j = k; j < count && tUs[kept[j]] - endUs < padUs; j++) removed[kept[j]] = PADDING
    isAny = true
  }
  return isAny
}

/** Removes short runs of points between gaps (step 6), and returns whether there were any. */
function removeIslands(tUs: Float64Array, removed: Uint8Array, count: number, islandUs: number): boolean {
  let isAny = false
  for (let k = 0; k < count; k++) {
    const first = k
    while (k + 1 < count && tUs[kept[k + 1]] - tUs[kept[k]] < GAP_US) k++
    if (tUs[kept[k]] - tUs[kept[first]] >= islandUs) continue
    for (let j = first; j <= k; j++) removed[kept[j]] = ISLAND
    isAny = true
  }
  return isAny
}

/** Copies kept sizes, and interpolates between those that are close enough (step 7). */
function interpolate(
  tUs: Float64Array,
  recorded: Float64Array,
  n: number,
  count: number,
  longestUs: number,
  { size, removed, isInterpolated }: CleanEye,
): void {
  for (let i = 0; i < n; i++) size[i] = removed[i] === KEPT ? recorded[i] : Number.NaN
  isInterpolated.fill(0, 0, n)
  for (let k = 1; k < count; k++) {
    const before = kept[k - 1]
    const after = kept[k]
    if (after === before + 1 || tUs[after] - tUs[before] > longestUs) continue
    const rise = recorded[after] - recorded[before]
    for (let i = before + 1; i < after; i++) {
      size[i] = recorded[before] + rise * ((tUs[i] - tUs[before]) / (tUs[after] - tUs[before]))
      isInterpolated[i] = 1
    }
  }
}
