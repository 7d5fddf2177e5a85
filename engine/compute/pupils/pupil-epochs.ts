import { baselineOf, type Pupil } from './pupil.ts'

/** Averaged time span, relative to the locking event; half-open, divided into bins of which the last may be shorter. */
type PupilSpan = { fromUs: number; toUs: number; binUs: number }

/** Baseline window, relative to the locking event. */
type BaselineWindow = { fromUs: number; toUs: number }

/** Sums over a participant's epochs: for each bin, the sum of epoch means and the number of epochs with one. */
export type EpochSums = {
  size: Float64Array
  sizeCount: Int32Array
  /** Sums above the baseline. */
  above: Float64Array
  aboveCount: Int32Array
}

/** Flags of an epoch: whether it has a size in any bin, and a baseline. */
type AddedEpoch = { hasSize: boolean; hasBaseline: boolean }

export function binsOf({ fromUs, toUs, binUs }: PupilSpan): number {
  return Math.ceil((toUs - fromUs) / binUs)
}

export function noEpochs(bins: number): EpochSums {
  return {
    size: new Float64Array(bins),
    sizeCount: new Int32Array(bins),
    above: new Float64Array(bins),
    aboveCount: new Int32Array(bins),
  }
}

/**
 * Adds a pupil epoch to the sums of its participant: docs/pupils.md, "Averages".
 *
 * @param tUs times of the pupil's points
 * @param lockUs time of the locking event, from item onset
 */
export function addEpoch(
  sums: EpochSums,
  tUs: Float64Array,
  pupil: Pupil,
  lockUs: number,
  span: PupilSpan,
  window: BaselineWindow,
): AddedEpoch {
  const { n, size } = pupil
  const baseline = baselineOf(tUs, pupil, lockUs + window.fromUs, lockUs + window.toUs)
  const hasBaseline = !Number.isNaN(baseline)
  const start = lockUs + span.fromUs
  let hasSize = false
  let i = 0
  while (i < n && tUs[i] < start) i++
  for (let bin = 0; bin < sums.size.length && i < n; bin++) {
    const end = Math.min(start + (bin + 1) * span.binUs, lockUs + span.toUs)
    let [sum, count] = [0, 0]
    for (; i < n && tUs[i] < end; i++) {
      if (Number.isNaN(size[i])) continue
      sum += size[i]
      count++
    }
    if (count === 0) continue
    hasSize = true
    sums.size[bin] += sum / count
    sums.sizeCount[bin]++
    if (!hasBaseline) continue
    sums.above[bin] += sum / count - baseline
    sums.aboveCount[bin]++
  }
  return { hasSize, hasBaseline }
}

/** Adds the sums of other epochs of the same participant. */
export function mergeEpochs(total: EpochSums, part: EpochSums): void {
  for (const name of ['size', 'sizeCount', 'above', 'aboveCount'] as const)
    for (let bin = 0; bin < part[name].length; bin++) total[name][bin] += part[name][bin]
}
