import { toMillionths } from '../compute/aoi.ts'
import { aoisAt } from '../compute/aoi-grid.ts'
import { type DistinctTimes, distinctTimes } from '../compute/distinct-times.ts'
import type { Gaze } from '../compute/gaze.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Where the gaze of a test was at each distinct time of its samples. */
export type GazeHits = DistinctTimes & {
  gaze: Gaze
  /** By AOI name of the study: 1 in any AOI of that name, 0 in none, 2 where the time's gaze is lost; null where the item has none. */
  inNames: (Uint8Array | null)[]
}

/** Computes at which times the gaze of a test is in AOIs of each name of the study. */
export function gazeHits(run: TestRun, context: ExportContext): GazeHits {
  const gaze = context.gazeOf(run)
  const times = distinctTimes(run.samples, gaze)
  const { item } = run.identity
  const { names, n } = context.aoisOf(item)
  const nameOfAoi = names.map((name) => context.facts.aoiNames.indexOf(name))
  const inNames = context.facts.aoiNames.map((_, i) => (nameOfAoi.includes(i) ? new Uint8Array(times.n) : null))
  const grid = context.aoiGridOf(item)
  for (let i = 0; i < times.n; i++) {
    const p = times.point[i]
    if (p === -1) for (const flags of inNames) flags && (flags[i] = 2)
    else if (n > 0) {
      const aois = aoisAt(grid, toMillionths(gaze.xPercent[p]), toMillionths(gaze.yPercent[p]), times.tUs[i])
      for (const aoi of aois) inNames[nameOfAoi[aoi]]![i] = 1
    }
  }
  return { ...times, gaze, inNames }
}
