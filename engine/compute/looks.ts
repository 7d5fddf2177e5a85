import { firstAt } from './time-window.ts'

/** A time span of a test in whole µs, half-open, divided into bins from its start. */
export type Epoch = { fromUs: number; toUs: number; binUs: number }

/** Times of a test, in ascending order, with the AOI names that gaze is in. */
export type LookTimes = {
  n: number
  tUs: Float64Array
  /** Flags for each AOI name: 1 if gaze is in an AOI with that name. */
  patterns: readonly Uint8Array[]
  /** Index of the pattern at each time. */
  indexes: Int32Array
  /** 1 for times of which looks are a share, else 0. */
  isCounted: Uint8Array
}

/** Looks in the bins of an epoch that have a time: columns of length `bins`, in ascending order. */
type BinnedLooks = {
  bins: number
  /** Number of the bin in the epoch, from 0. */
  bin: Float64Array
  counted: Float64Array
  /** For each of the names, the counted times at which gaze is in an AOI with it. */
  looks: Float64Array[]
}

/** Counts the looks of an epoch: docs/looks.md, "Counts". @param places indexes of the AOI names in the patterns */
export function countLooks(times: LookTimes, places: readonly number[], { fromUs, toUs, binUs }: Epoch): BinnedLooks {
  const { tUs, indexes, isCounted, patterns } = times
  const start = firstAt(tUs, times.n, fromUs)
  const end = firstAt(tUs, times.n, toUs)
  const bin = new Float64Array(end - start)
  let bins = 0
  for (let i = start, endUs = Number.NEGATIVE_INFINITY; i < end; i++) {
    if (tUs[i] < endUs) continue
    bin[bins] = Math.floor((tUs[i] - fromUs) / binUs)
    endUs = fromUs + (bin[bins++] + 1) * binUs
  }
  const counted = new Float64Array(bins)
  const looks = places.map(() => new Float64Array(bins))
  const looked = patterns.map((pattern) => {
    const own: Float64Array[] = []
    for (let k = 0; k < places.length; k++) if (pattern[places[k]] === 1) own.push(looks[k])
    return own
  })
  for (let i = start, b = -1, endUs = Number.NEGATIVE_INFINITY; i < end; i++) {
    if (tUs[i] >= endUs) endUs = fromUs + (bin[++b] + 1) * binUs
    if (isCounted[i] === 0) continue
    counted[b]++
    const own = looked[indexes[i]]
    for (let k = 0; k < own.length; k++) own[k][b]++
  }
  return { bins, bin: bin.subarray(0, bins), counted, looks }
}

/** Logits of so few times are kept, since bins have few: a logarithm for each row takes long. */
const KEPT = 64
const kept = new Float64Array(KEPT * KEPT).fill(Number.NaN)

/** Returns the empirical logit of y looks among n times (Barr, 2008); NaN without times. @param y, n whole */
export function empiricalLogit(y: number, n: number): number {
  if (n === 0) return Number.NaN
  if (n >= KEPT) return Math.log((y + 0.5) / (n - y + 0.5))
  const at = n * KEPT + y
  if (Number.isNaN(kept[at])) kept[at] = Math.log((y + 0.5) / (n - y + 0.5))
  return kept[at]
}

/** Returns the weight of an empirical logit: the inverse of its variance (Barr, 2008); NaN without times. */
export function logitWeight(y: number, n: number): number {
  return n === 0 ? Number.NaN : 1 / (1 / (y + 0.5) + 1 / (n - y + 0.5))
}
