import { toMillionths } from './aoi.ts'
import { type AoiGrid, aoisAt } from './aoi-grid.ts'
import type { Fixations } from './fixation-list.ts'

/** A run of consecutive fixations of a test in one AOI, with its first and last; times in whole µs. */
type Visit = { aoi: number; index: number; first: number; last: number; dwellUs: number }

/** Returns, for each fixation, the AOIs that contain it, in the order of study.json. */
export function aoisOfFixations(grid: AoiGrid, { n, xPercent, yPercent, startUs }: Fixations): number[][] {
  if (grid.aois.length === 0) return Array.from({ length: n }, () => [])
  return Array.from({ length: n }, (_, f) =>
    // Copied, since the grid reuses the array.
    [...aoisAt(grid, toMillionths(xPercent[f]), toMillionths(yPercent[f]), startUs[f])],
  )
}

/** Returns the visits of a test by AOI, each in order of time: docs/metrics.md, "Visits". */
export function visitsOf(aoisOf: number[][], { startUs, endUs }: Fixations): Visit[] {
  const open = new Map<number, Visit>()
  const visits: Visit[] = []
  const counts = new Map<number, number>()
  for (const [f, aois] of aoisOf.entries()) {
    for (const aoi of aois) {
      const before = open.get(aoi)
      const durationUs = endUs[f] - startUs[f]
      if (before?.last === f - 1) {
        before.last = f
        before.dwellUs += durationUs
        continue
      }
      const index = (counts.get(aoi) ?? 0) + 1
      counts.set(aoi, index)
      const visit = { aoi, index, first: f, last: f, dwellUs: durationUs }
      open.set(aoi, visit)
      visits.push(visit)
    }
  }
  return visits.sort((a, b) => a.aoi - b.aoi || a.index - b.index)
}

/**
 * Number of transitions from one place to another, and the duration of the stays before them; `outside` is a place,
 * too.
 */
type Transition = { from: number; to: number; count: number; probability: number; dwellUs: number }

/**
 * Returns the transitions of a test, ordered by the place left, then entered: docs/metrics.md, "Transitions".
 *
 * @param outside number of AOIs, as the index of the place outside all AOIs
 */
export function transitionsOf(aoisOf: number[][], { startUs, endUs }: Fixations, outside: number): Transition[] {
  const stays: { place: number; dwellUs: number }[] = []
  for (const [f, [place = outside]] of aoisOf.entries()) {
    const dwellUs = endUs[f] - startUs[f]
    const last = stays.at(-1)
    if (last?.place === place) last.dwellUs += dwellUs
    else stays.push({ place, dwellUs })
  }
  const found = new Map<number, Transition>()
  const left = new Map<number, number>()
  for (let s = 0; s + 1 < stays.length; s++) {
    const [from, to] = [stays[s].place, stays[s + 1].place]
    const key = from * (outside + 1) + to
    const pair = found.get(key) ?? { from, to, count: 0, probability: 0, dwellUs: 0 }
    pair.count++
    pair.dwellUs += stays[s].dwellUs
    found.set(key, pair)
    left.set(from, (left.get(from) ?? 0) + 1)
  }
  for (const pair of found.values()) pair.probability = pair.count / left.get(pair.from)!
  return [...found.values()].sort((a, b) => a.from - b.from || a.to - b.to)
}
