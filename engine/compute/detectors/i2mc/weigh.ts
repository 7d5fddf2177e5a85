import { type Lost, lostOf, type Signal } from './fill-gaps.ts'
import { clusterInTwo, createClustering } from './two-means.ts'

/** Factors by which the samples of a window are thinned out, 1 for the full window. */
const THINNED = [1, 2, 5, 10]
/**
 * Smallest number of samples in a window: fewer cannot locate a saccade, since two samples always form two clusters.
 */
const SAMPLES_MIN = 3

/** Returns the factors by which windows of that many samples are thinned out; 1 for the full window. */
export function thinningOf(size: number): number[] {
  return THINNED.filter((by) => Math.floor((size - 1) / by) + 1 >= SAMPLES_MIN)
}

/**
 * Weighs each sample by how often 2-means clustering of moving windows changes cluster there: docs/detectors.md,
 * "I2MC", steps 3 and 4. Source: `two_cluster_weighting` of I2MC_Python (MIT licence, Niehorster & van Leeuwen),
 * without its filter before thinning, as in its example.
 *
 * @param signal NaN if lost, length n
 * @param size of a window, in samples
 * @param step from one window to the next, in samples, at least 1
 * @param random from 0 to below 1
 * @returns weights, length n; NaN if no window covers the sample
 */
export function weigh(signal: Signal, size: number, step: number, random: () => number): Float64Array {
  const n = signal.x.length
  const weights = new Float64Array(n)
  const tests = new Int32Array(n)
  if (size >= SAMPLES_MIN) {
    const clustering = createClustering(size)
    const factors = thinningOf(size)
    for (const start of windows(lostOf(signal.x), n, size, step)) {
      for (const by of factors) {
        const count = Math.floor((size - 1) / by) + 1
        // Thinning always includes the last sample of the window.
        const first = start + size - 1 - (count - 1) * by
        for (let k = 0; k < count; k++) {
          clustering.x[k] = signal.x[first + k * by]
          clustering.y[k] = signal.y[first + k * by]
        }
        if (clusterInTwo(clustering, count, random)) addChanges(clustering.label, count, first, by, weights)
      }
      for (let i = start; i < start + size; i++) tests[i]++
    }
  }
  for (let i = 0; i < n; i++) weights[i] = tests[i] === 0 ? Number.NaN : weights[i] / tests[i]
  return weights
}

/**
 * Distributes a weight of one among the samples at which the cluster changes; in a thinned window, each stands for
 * several samples.
 */
function addChanges(label: Uint8Array, count: number, first: number, by: number, weights: Float64Array): void {
  let changes = 0
  for (let k = 1; k < count; k++) if (label[k] !== label[k - 1]) changes++
  for (let k = 0; k + 1 < count; k++) {
    if (label[k] === label[k + 1]) continue
    const place = first + k * by
    for (let i = place; i < place + by; i++) weights[i] += 1 / changes
  }
}

/**
 * Yields the first sample of each window without lost samples. The last window before a gap or the end is moved back to
 * fit, so that no sample is left out; the very last sample is in no window, as published.
 */
function* windows(gaps: Lost[], n: number, size: number, step: number): Generator<number> {
  const blocked = joinBlocked(gaps, n, size)
  let start = blocked.length > 0 && blocked[0].first === 0 ? blocked[0].last + 1 : 0
  let next = start === 0 ? 0 : 1
  while (start + size <= n - 1) {
    yield start
    start += step
    const gap = blocked[next]
    if (gap !== undefined && gap.first <= start + size) {
      if (gap.first === start + size - step) {
        start = gap.last + 1
        next++
      } else {
        start = gap.first - size
      }
    }
    const end = start + size
    if (end > n - 1 && end - step < n - 1) start = n - 1 - size
  }
}

/** Joins gaps if no window fits between them, or before the first or after the last. */
function joinBlocked(gaps: Lost[], n: number, size: number): Lost[] {
  const blocked: Lost[] = []
  for (const gap of gaps) {
    const before = blocked.at(-1)
    if (before !== undefined && gap.first - before.last - 1 < size) before.last = gap.last
    else blocked.push({ ...gap })
  }
  if (blocked.length === 0) return blocked
  if (blocked[0].first < size + 1) blocked[0].first = 0
  const last = blocked[blocked.length - 1]
  if (last.last >= n - 1 - size) last.last = n - 1
  return blocked
}
