import { countLooks } from '../../compute/looks.ts'
import { looksOf } from '../../exports/columns/test-looks.ts'
import type { Chart } from './chart.ts'
import { GAZE_COLUMNS } from './viewers.ts'

/** Looks of a participant: for each bin, and in it for each AOI name, the looks and the times that count. */
export type LookSums = { looks: Float64Array; counted: Float64Array }

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
        const sums = withRoom(part.participants.get(id), (bin[bins - 1] + 1) * names.length)
        part.participants.set(id, sums)
        for (let b = 0; b < bins; b++)
          for (const [k, column] of columns.entries()) {
            sums.looks[bin[b] * names.length + column] += looks[k][b]
            sums.counted[bin[b] * names.length + column] += counted[b]
          }
      }
    },
    merge: (total, part) => {
      total.epochs += part.epochs
      total.tests += part.tests
      total.windowless += part.windowless
      if (part.isLonger) total.isLonger = true
      for (const [id, own] of part.participants) {
        const sums = withRoom(total.participants.get(id), own.looks.length)
        for (let i = 0; i < own.looks.length; i++) {
          sums.looks[i] += own.looks[i]
          sums.counted[i] += own.counted[i]
        }
        total.participants.set(id, sums)
      }
    },
  }
}

/** Returns sums with at least so many cells, with those that are known. */
function withRoom(known: LookSums | undefined, cells: number): LookSums {
  if (known && known.looks.length >= cells) return known
  const sums = { looks: new Float64Array(cells), counted: new Float64Array(cells) }
  if (known) {
    sums.looks.set(known.looks)
    sums.counted.set(known.counted)
  }
  return sums
}
