import { type Entropies, entropiesOf, type Recurrence, recurrenceOf } from '../../compute/scanpath.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import type { TestScanpath } from './test-scanpath.ts'

/** Number of pairs of a fixation and the saccade after it; sums of durations and amplitudes, and of their squares. */
export type PairSums = { n: number; d: number; dd: number; a: number; aa: number }

/** Measures of the scanpath of a test: docs/scanpaths.md. */
export type ScanpathMeasures = { places: number; entropies: Entropies; recurrence: Recurrence; pairs: PairSums }

/** Tests with more fixations have no recurrence, which takes their square. */
const RECURRENCE_FIXATIONS_MAX = 5000

/** Measures the scanpath of a test. */
export function measureScanpath(
  { scanpath, fixations }: TestScanpath,
  { identity }: Pick<TestRun, 'identity'>,
  context: ExportContext,
): ScanpathMeasures {
  const aois = context.aoisOf(identity.item).n
  const radius = context.plan.parameters.recurrenceRadiusPercent! / 100
  const pairs: PairSums = { n: 0, d: 0, dd: 0, a: 0, aa: 0 }
  for (let f = 1; f < fixations.n; f++) {
    if (fixations.hasSaccade[f] === 0) continue
    const [d, a] = [scanpath.durationMs[f - 1], fixations.saccadeAmplitudePercent[f]]
    pairs.n++
    pairs.d += d
    pairs.dd += d * d
    pairs.a += a
    pairs.aa += a * a
  }
  return {
    places: aois + 1,
    entropies: entropiesOf(scanpath, aois),
    recurrence: recurrenceOf(scanpath, radius, RECURRENCE_FIXATIONS_MAX),
    pairs,
  }
}

/** Returns the coefficient K of a test, standardized over all: docs/scanpaths.md (Krejtz et al., 2016). */
export function coefficientK(tests: Iterable<PairSums>): (own: PairSums) => number {
  const all = { n: 0, d: 0, dd: 0, a: 0, aa: 0 }
  for (const own of tests) for (const name of ['n', 'd', 'dd', 'a', 'aa'] as const) all[name] += own[name]
  const sdOf = (sum: number, squares: number) => Math.sqrt((squares - (sum * sum) / all.n) / (all.n - 1))
  const [sdD, sdA] = [sdOf(all.d, all.dd), sdOf(all.a, all.aa)]
  const varies = (sd: number, sum: number) => all.n > 1 && sd > 1e-7 * (sum / all.n)
  const isKnown = varies(sdD, all.d) && varies(sdA, all.a)
  return ({ n, d, a }) =>
    n === 0 || !isKnown ? Number.NaN : (d / n - all.d / all.n) / sdD - (a / n - all.a / all.n) / sdA
}
