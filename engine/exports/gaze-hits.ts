import { markGazes } from '../compute/aoi-grid.ts'
import { type DistinctTimes, distinctTimes } from '../compute/distinct-times.ts'
import type { Gaze } from '../compute/gaze.ts'
import { type Cells, same } from '../model/columns.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Where the gaze of a test was at each distinct time of its samples. */
export type GazeHits = DistinctTimes & {
  gaze: Gaze
  /**
   * For each AOI name of the study that the item has, one after the other, and each time: 1 in any AOI of that name, 0 in none, 2
   * where the time's gaze is lost. One array: a test has few times, and a study may have many names.
   */
  flags: Uint8Array
  /** Returns the cells of all AOI names of the study, given those of a name whose flags begin at `start`. */
  cellsOf: (cells: (start: number) => Cells) => Cells[]
}

/** Computes at which times the gaze of a test is in AOIs of each name of the study. */
export function gazeHits(run: TestRun, context: ExportContext): GazeHits {
  const gaze = context.gazeOf(run)
  const times = distinctTimes(run.samples, gaze)
  const { n, point } = times
  const { item } = run.identity
  const aois = context.aoisOf(item)
  const { aoiNames } = context.facts
  const nameOfAoi = aois.names.map((name) => aoiNames.indexOf(name))
  const present = [...new Set(nameOfAoi)]
  const flags = new Uint8Array(present.length * n)
  if (aois.n > 0) {
    for (let i = 0; i < n; i++) flags[i] = point[i] === -1 ? 2 : 0
    for (let place = 1; place < present.length; place++) flags.copyWithin(place * n, 0, n)
    const startOfAoi = nameOfAoi.map((name) => present.indexOf(name) * n)
    markGazes(context.aoiGridOf(item), gaze, point, startOfAoi, flags)
  }
  const cellsOf: GazeHits['cellsOf'] = (cells) =>
    aoiNames.map((_, name) => (present.includes(name) ? cells(present.indexOf(name) * n) : same(null)))
  return { ...times, gaze, flags, cellsOf }
}
