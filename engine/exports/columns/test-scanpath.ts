import type { Fixations } from '../../compute/fixation-list.ts'
import type { Scanpath } from '../../compute/scanpath.ts'
import { aoisOfFixations } from '../../compute/visits.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Returns the scanpath of a test and its fixations, which the next call overwrites. */
export function scanpathOf(run: TestRun, context: ExportContext): { scanpath: Scanpath; fixations: Fixations } {
  const { item, test } = run.identity
  const fixations = context.fixationsOf(run, context.gazeOf(run))
  const { n, xPercent, yPercent, startUs, endUs } = fixations
  const aspect = test.display === null ? 1 : test.display.heightPx / test.display.widthPx
  const places = aoisOfFixations(context.aoiGridOf(item), fixations)
  const of = (value: (f: number) => number) => Float64Array.from({ length: n }, (_, f) => value(f))
  const scanpath = {
    n,
    place: Int32Array.from(places, ([first = -1]) => first),
    x: of((f) => xPercent[f] / 100),
    y: of((f) => (yPercent[f] / 100) * aspect),
    durationMs: of((f) => (endUs[f] - startUs[f]) / 1000),
  }
  return { scanpath, fixations }
}
