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
  const { aoiNames } = context.facts
  const nameOfAoi = names.map((name) => aoiNames.indexOf(name))
  const present = [...new Set(nameOfAoi)]
  // One array for all names: a test has few times, and a study may have many names.
  const flags = new Uint8Array(present.length * times.n)
  const startOfAoi = nameOfAoi.map((name) => present.indexOf(name) * times.n)
  const grid = context.aoiGridOf(item)
  for (let i = 0; i < times.n; i++) {
    const p = times.point[i]
    if (p === -1) for (let at = i; at < flags.length; at += times.n) flags[at] = 2
    else if (n > 0) {
      const aois = aoisAt(grid, toMillionths(gaze.xPercent[p]), toMillionths(gaze.yPercent[p]), times.tUs[i])
      for (const aoi of aois) flags[startOfAoi[aoi] + i] = 1
    }
  }
  const inNames = aoiNames.map((_, name) => {
    const place = present.indexOf(name)
    return place === -1 ? null : flags.subarray(place * times.n, (place + 1) * times.n)
  })
  return { ...times, gaze, inNames }
}
