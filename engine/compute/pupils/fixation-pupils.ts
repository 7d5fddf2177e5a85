import type { Fixations } from '../fixation-list.ts'
import type { Pupil, PupilEye, RecordedPupils } from './pupil.ts'

/** Mean sizes of the pupil during fixations: columns of one value for each, NaN without a size. */
type FixationPupils = { mean: Float64Array; recorded: Float64Array }

/**
 * Averages a pupil over the points from the start to the end of each fixation: docs/pupils.md, "Fixations".
 *
 * @param recorded sizes before any step
 * @param pupil of the same points, after all steps
 */
export function pupilsOfFixations(
  recorded: RecordedPupils,
  { size }: Pupil,
  eye: PupilEye,
  { n, startUs, endUs }: Pick<Fixations, 'n' | 'startUs' | 'endUs'>,
): FixationPupils {
  const { tUs } = recorded
  const found = { mean: new Float64Array(n), recorded: new Float64Array(n) }
  for (let f = 0, first = 0; f < n; f++) {
    while (first < recorded.n && tUs[first] < startUs[f]) first++
    let [sum, count, recordedSum, recordedCount] = [0, 0, 0, 0]
    for (let i = first; i < recorded.n && tUs[i] <= endUs[f]; i++) {
      if (!Number.isNaN(size[i])) {
        sum += size[i]
        count++
      }
      const before = recordedSize(recorded.left[i], recorded.right[i], eye)
      if (Number.isNaN(before)) continue
      recordedSum += before
      recordedCount++
    }
    found.mean[f] = sum / count
    found.recorded[f] = recordedSum / recordedCount
  }
  return found
}

/** Returns the recorded size of the chosen eyes, the mean of both if both have one; NaN without one. */
function recordedSize(left: number, right: number, eye: PupilEye): number {
  if (eye === 'left') return left
  if (eye === 'right') return right
  if (eye === 'both' || (!Number.isNaN(left) && !Number.isNaN(right))) return (left + right) / 2
  return Number.isNaN(left) ? right : left
}
