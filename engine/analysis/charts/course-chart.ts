import { aoisOfFixations, transitionsOf, visitsOf } from '../../compute/visits.ts'
import type { Item } from '../../model/study.ts'
import { roundToMs } from '../../text/numbers.ts'
import { ranksBySize } from '../statistics/aoi-ranks.ts'
import type { Chart } from './chart.ts'

/**
 * Collects, for the AOIs of an item, cells of `aoi-transitions`, `aoi-visits` and `aoi-fixations-stats`, by index of
 * AOI and test.
 */
export type CoursePart = {
  participants: string[]
  /** End of each test, ms; NaN if unknown. */
  untilMs: number[]
  /** By test, by AOI: the start of its first fixation, ms; NaN without one. */
  ttffMs: number[][]
  /** Visits: indexes of test and AOI; start, end and dwell time, ms. */
  visits: { test: number; aoi: number; startsAtMs: number; endsAtMs: number; dwellMs: number }[]
  /** Transition counts from row to column; the last index is outside all AOIs. Empty without tests. */
  transitions: number[][]
  /** Flags for each AOI: whether it contains a fixation, and whether a fixation belongs to it. */
  held: boolean[]
  stood: boolean[]
}

/**
 * Returns the chart.
 *
 * @param aoiCount of the item
 * @param smallestFirst whether a fixation in several AOIs belongs to the smallest, not to the first
 */
export function courseChart(aoiCount: number, smallestFirst: boolean): Chart<CoursePart> {
  const places = aoiCount + 1
  const ranks = new WeakMap<Item, Int32Array>()
  return {
    export: 'aoi-visits',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
    ofViewers: true,
    start: () => ({
      participants: [],
      untilMs: [],
      ttffMs: [],
      visits: [],
      transitions: Array.from({ length: places }, () => new Array<number>(places).fill(0)),
      held: new Array<boolean>(aoiCount).fill(false),
      stood: new Array<boolean>(aoiCount).fill(false),
    }),
    addTest: (part, run, context) => {
      const { item, test, participant } = run.identity
      const found = context.fixationsOf(run, context.gazeOf(run))
      const inAois = aoisOfFixations(context.aoiGridOf(item), found)
      const place = part.participants.length
      part.participants.push(participant.id)
      part.untilMs.push(test.durationUs === null ? Number.NaN : roundToMs(test.durationUs))
      const ttffMs = new Array<number>(aoiCount).fill(Number.NaN)
      for (const { aoi, first, last, dwellUs } of visitsOf(inAois, found)) {
        const startsAtMs = roundToMs(found.startUs[first])
        if (Number.isNaN(ttffMs[aoi])) ttffMs[aoi] = startsAtMs
        const endsAtMs = roundToMs(found.endUs[last])
        part.visits.push({ test: place, aoi, startsAtMs, endsAtMs, dwellMs: roundToMs(dwellUs) })
      }
      part.ttffMs.push(ttffMs)
      const ordered = smallestFirst ? inAois.map((aois) => sorted(aois, ranksOf(item))) : inAois
      for (const aois of ordered) {
        for (const a of aois) part.held[a] = true
        if (aois.length > 0) part.stood[aois[0]] = true
      }
      for (const { from, to, count } of transitionsOf(ordered, found, aoiCount)) part.transitions[from][to] += count

      function ranksOf(of: Item): Int32Array {
        const known = ranks.get(of) ?? ranksBySize(context.aoiSizesOf(of))
        ranks.set(of, known)
        return known
      }
    },
    merge: (total, part) => {
      const before = total.participants.length
      for (const id of part.participants) total.participants.push(id)
      for (const ms of part.untilMs) total.untilMs.push(ms)
      for (const own of part.ttffMs) total.ttffMs.push(own)
      for (const visit of part.visits) total.visits.push({ ...visit, test: visit.test + before })
      for (const [from, row] of part.transitions.entries())
        for (const [to, count] of row.entries()) total.transitions[from][to] += count
      for (const name of ['held', 'stood'] as const) for (const [a, has] of part[name].entries()) total[name][a] ||= has
    },
  }
}

function sorted(aois: number[], ranks: Int32Array): number[] {
  return aois.length < 2 ? aois : [...aois].sort((a, b) => ranks[a] - ranks[b])
}
