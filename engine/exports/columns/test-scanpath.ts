import type { Fixations } from '../../compute/fixation-list.ts'
import { heightInWidths } from '../../compute/gaze.ts'
import type { Scanpath } from '../../compute/scanpath.ts'
import { aoisOfFixations } from '../../compute/visits.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** The scanpath of a test, its fixations, which the next call overwrites, and the displayed item's height by width. */
export type TestScanpath = { scanpath: Scanpath; fixations: Fixations; aspect: number }

export function scanpathOf(run: TestRun, context: ExportContext): TestScanpath {
  const { item, test } = run.identity
  const fixations = context.fixationsOf(run, context.gazeOf(run))
  const { n, xPercent, yPercent, startUs, endUs } = fixations
  const aspect = heightInWidths(test.display)
  const places = aoisOfFixations(context.aoiGridOf(item), fixations)
  const of = (value: (f: number) => number) => Float64Array.from({ length: n }, (_, f) => value(f))
  const scanpath = {
    n,
    place: Int32Array.from(places, ([first = -1]) => first),
    x: of((f) => xPercent[f] / 100),
    y: of((f) => (yPercent[f] / 100) * aspect),
    durationMs: of((f) => (endUs[f] - startUs[f]) / 1000),
  }
  return { scanpath, fixations, aspect }
}
