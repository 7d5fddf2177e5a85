import type { Samples } from '../../compute/gaze.ts'
import { medianOf } from '../../compute/order-statistics.ts'
import { geometryOf, type ScreenGeometry } from '../../compute/quality/degrees.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'
import type { StudyFacts } from './study-facts.ts'

/** Distances of the eyes, of which degrees take that of a test. */
export const DISTANCE_COLUMNS = ['leftEyeDistanceMm', 'rightEyeDistanceMm'] as const satisfies SampleColumn[]

/** The geometry that was found last, since each epoch of a test has the same. */
let last: { samples: Samples; facts: StudyFacts; screen: ScreenGeometry | null } | null = null

/**
 * Returns the geometry of a screen during a test: docs/metrics.md, "Degrees and exact times". The distance is that of
 * the eyes in its samples or, without any, that of the study; null if any part is unknown.
 */
export function screenOf(samples: Samples, facts: StudyFacts): ScreenGeometry | null {
  if (last?.samples === samples && last.facts === facts) return last.screen
  const viewingDistanceCm = distanceCm(samples)
  const screen = geometryOf(viewingDistanceCm === null ? facts.recording : { ...facts.recording, viewingDistanceCm })
  last = { samples, facts, screen }
  return screen
}

/** Returns the median over the samples of the mean distance of the eyes that have one; null without any. */
function distanceCm({ n, eyes = {} }: Samples): number | null {
  const known = DISTANCE_COLUMNS.flatMap((name) => eyes[name] ?? [])
  if (known.length === 0) return null
  const distances: number[] = []
  for (let i = 0; i < n; i++) {
    let [sum, count] = [0, 0]
    for (const column of known)
      if (column[i] > 0) {
        sum += column[i]
        count++
      }
    if (count > 0) distances.push(sum / count)
  }
  return distances.length === 0 ? null : medianOf(Float64Array.from(distances)) / 10
}
