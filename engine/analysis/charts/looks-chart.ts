import { countLooks } from '../../compute/looks.ts'
import { looksOf } from '../../exports/columns/test-looks.ts'
import type { Chart } from './chart.ts'
import { GAZE_COLUMNS } from './viewers.ts'

/** Looks at an AOI name in each bin, and the times that count. */
export type BinLooks = { looks: Float64Array; counted: Float64Array }

/** Looks of a participant by AOI name, by its index; without the names of items that the participant did not see. */
export type LookSums = (BinLooks | undefined)[]

/** Sums of the looks of tests, for averages over participants. */
export type LooksPart = {
  /** Tests, or events in them, with a time that counts. */
  epochs: number
  /** Tests with an epoch, and those among them of which the size of the window is unknown. */
  tests: number
  windowless: number
  /** True if an epoch has times after the last bin, which are not summed. */
  isLonger: boolean
  /** Sums by participant id. */
  participants: Map<string, LookSums>
}

/** Returns the chart that sums looks over time, in epochs of the plan. @param names AOI names, in the order of sums */
export function looksChart(names: string[], binsMax: number): Chart<LooksPart> {
  return {
    export: 'looks-binned',
    reads: [...GAZE_COLUMNS, 'scrollYPx'],
    needsEvents: true,
    ofViewers: true,
    start: () => ({ epochs: 0, tests: 0, windowless: 0, isLonger: false, participants: new Map() }),
    addTest: (part, run, context) => {
      const found = looksOf(run, context)
      if (found === null) return
      const { id } = run.identity.participant
      const columns = found.places.map((place) => names.indexOf(context.facts.aoiNames[place]))
      if (found.epochs.length > 0) {
        const { browserWidthPx, browserHeightPx } = run.identity.test
        part.tests++
        if (browserWidthPx === null || browserHeightPx === null) part.windowless++
      }
      for (const epoch of found.epochs) {
        const { bins, bin, counted, looks } = countLooks(found.times, found.places, epoch)
        if (!counted.some((count) => count > 0)) continue
        part.epochs++
        if (bin[bins - 1] >= binsMax) {
          part.isLonger = true
          continue
        }
        const sums = part.participants.get(id) ?? []
        part.participants.set(id, sums)
        for (let k = 0; k < columns.length; k++) {
          const own = withRoom(sums[columns[k]], bin[bins - 1] + 1)
          sums[columns[k]] = own
          for (let b = 0; b < bins; b++) {
            own.looks[bin[b]] += looks[k][b]
            own.counted[bin[b]] += counted[b]
          }
        }
      }
    },
    merge: (total, part) => {
      total.epochs += part.epochs
      total.tests += part.tests
      total.windowless += part.windowless
      if (part.isLonger) total.isLonger = true
      for (const [id, own] of part.participants) {
        const sums = total.participants.get(id) ?? []
        total.participants.set(id, sums)
        for (const [k, { looks, counted }] of known(own)) {
          const into = withRoom(sums[k], looks.length)
          sums[k] = into
          for (let b = 0; b < looks.length; b++) {
            into.looks[b] += looks[b]
            into.counted[b] += counted[b]
          }
        }
      }
    },
  }
}

/** Returns the AOI names that a participant saw, by index, with their looks. */
function known(sums: LookSums): [number, BinLooks][] {
  return sums.flatMap((own, k): [number, BinLooks][] => (own === undefined ? [] : [[k, own]]))
}

/** Returns looks with at least so many bins, with those that are known. */
function withRoom(looks: BinLooks | undefined, bins: number): BinLooks {
  if (looks && looks.looks.length >= bins) return looks
  const larger = { looks: new Float64Array(bins), counted: new Float64Array(bins) }
  if (looks) {
    larger.looks.set(looks.looks)
    larger.counted.set(looks.counted)
  }
  return larger
}
