import type { Samples } from '../../compute/gaze.ts'
import { medianOf } from '../../compute/order-statistics.ts'
import { type Distances, geometryOf, type ScreenGeometry } from '../../compute/quality/degrees.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'
import type { StudyFacts } from './study-facts.ts'

/** Distances of the eyes, of which degrees take that of a test. */
export const DISTANCE_COLUMNS = ['leftEyeDistanceMm', 'rightEyeDistanceMm'] as const satisfies SampleColumn[]

/** The geometry that was found last, since each epoch of a test has the same. */
let last: { samples: Samples; facts: StudyFacts; screen: ScreenGeometry | null } | null = null

/**
 * Returns the geometry of a screen during a test: docs/metrics.md, "Degrees and exact times". Its distance is the
 * median of those of the eyes in its samples or, without any, that of the study; null if any part is unknown.
 */
export function screenOf(samples: Samples, facts: StudyFacts): ScreenGeometry | null {
  if (last?.samples === samples && last.facts === facts) return last.screen
  const distances = distancesOf(samples)
  const own = distances && { ...facts.recording, viewingDistanceCm: medianOf(distances.mm.slice()) / 10 }
  const known = geometryOf(own ?? facts.recording)
  const screen = known && distances ? { ...known, distances } : known
  last = { samples, facts, screen }
  return screen
}

/** Returns the mean distance of the eyes that have one, of each sample with any; null without any. */
function distancesOf({ n, tUs, eyes = {} }: Samples): Distances | null {
  const known = DISTANCE_COLUMNS.flatMap((name) => eyes[name] ?? [])
  if (known.length === 0) return null
  const [times, mm] = [new Float64Array(n), new Float64Array(n)]
  let found = 0
  for (let i = 0; i < n; i++) {
    let [sum, count] = [0, 0]
    for (const column of known)
      if (column[i] > 0) {
        sum += column[i]
        count++
      }
    if (count === 0) continue
    times[found] = tUs[i]
    mm[found++] = sum / count
  }
  return found === 0 ? null : inOrder(times.subarray(0, found), mm.subarray(0, found))
}

function inOrder(tUs: Float64Array, mm: Float64Array): Distances {
  if (tUs.every((t, i) => i === 0 || t >= tUs[i - 1])) return { tUs, mm }
  const order = Int32Array.from(tUs.keys()).sort((a, b) => tUs[a] - tUs[b])
  return { tUs: Float64Array.from(order, (i) => tUs[i]), mm: Float64Array.from(order, (i) => mm[i]) }
}
