import { countLooks } from '../../compute/looks.ts'
import { looksOf } from '../../exports/columns/test-looks.ts'
import type { Chart } from './chart.ts'
import { GAZE_COLUMNS } from './viewers.ts'

/** Looks at an AOI name in each bin, and the times that count. */
export type BinLooks = { looks: Float64Array; counted: Float64Array }

/** Looks of a participant by AOI name, by its index; without the names of items that the participant did not see. */
export type LookSums = (BinLooks | undefined)[]

/** Sums of the looks of one participant at the AOI names of an item. */
type ItemLooks = {
  /** Indexes of the names. */
  names: number[]
  bins: number
  /** For each bin, the times that count; then, for each name, the looks: one array, since many take long to send. */
  counts: Float64Array
}

/** Sums of the looks of tests, for averages over participants. */
export type LooksPart = {
  /** Tests, or events in them, with a time that counts. */
  epochs: number
  /** Tests with an epoch, and those among them of which the size of the window is unknown. */
  tests: number
  windowless: number
  /** True if an epoch has times after the last bin, which are not summed. */
  isLonger: boolean
  /** Sums by participant id, by item id. */
  participants: Map<string, Map<string, ItemLooks>>
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
      const { participant, item, test } = run.identity
      const columns = found.places.map((place) => names.indexOf(context.facts.aoiNames[place]))
      if (found.epochs.length > 0) {
        part.tests++
        if (test.browserWidthPx === null || test.browserHeightPx === null) part.windowless++
      }
      for (const epoch of found.epochs) {
        const { bins, bin, counted, looks } = countLooks(found.times, found.places, epoch)
        if (!counted.some((count) => count > 0)) continue
        part.epochs++
        if (bin[bins - 1] >= binsMax) {
          part.isLonger = true
          continue
        }
        const items = part.participants.get(participant.id) ?? new Map<string, ItemLooks>()
        part.participants.set(participant.id, items)
        const own = withRoom(items.get(item.id) ?? noLooks(columns), bin[bins - 1] + 1)
        items.set(item.id, own)
        for (const [row, values] of [counted, ...looks].entries()) {
          const at = row * own.bins
          for (let b = 0; b < bins; b++) own.counts[at + bin[b]] += values[b]
        }
      }
    },
    merge: (total, part) => {
      total.epochs += part.epochs
      total.tests += part.tests
      total.windowless += part.windowless
      if (part.isLonger) total.isLonger = true
      for (const [id, added] of part.participants) {
        const items = total.participants.get(id)
        if (items === undefined) total.participants.set(id, added)
        else for (const [itemId, own] of added) items.set(itemId, addLooks(items.get(itemId), own))
      }
    },
  }
}

/** Returns the looks of each participant by AOI name, over the items that have it. */
export function sumsByName({ participants }: LooksPart): Map<string, LookSums> {
  const sumsOf = (items: Map<string, ItemLooks>): LookSums => {
    const sums: LookSums = []
    for (const { names, bins, counts } of items.values())
      for (const [k, name] of names.entries()) {
        const added = { counted: counts.subarray(0, bins), looks: counts.subarray((k + 1) * bins, (k + 2) * bins) }
        const known = sums[name]
        // Most names are those of one item, so that there is nothing to add.
        sums[name] = known === undefined ? added : addBins(known, added)
      }
    return sums
  }
  return new Map(Array.from(participants, ([id, items]) => [id, sumsOf(items)]))
}

/** Returns the sums of the looks of two items, in as many bins as the longer has. */
function addBins(known: BinLooks, added: BinLooks): BinLooks {
  const bins = Math.max(known.counted.length, added.counted.length)
  const sums = { looks: new Float64Array(bins), counted: new Float64Array(bins) }
  for (const own of [known, added])
    for (const name of ['looks', 'counted'] as const) addAt(sums[name], own[name], 0, own[name].length)
  return sums
}

/** Adds `n` values, from an index on, to sums. */
function addAt(sums: Float64Array, values: Float64Array, from: number, n: number): void {
  for (let i = 0; i < n; i++) sums[i] += values[from + i]
}

const noLooks = (names: number[]): ItemLooks => ({ names, bins: 0, counts: new Float64Array(0) })

/** Returns looks with at least so many bins, with those that are known. */
function withRoom(looks: ItemLooks, bins: number): ItemLooks {
  if (looks.bins >= bins) return looks
  const rows = looks.names.length + 1
  const larger = { names: looks.names, bins, counts: new Float64Array(rows * bins) }
  for (let row = 0; row < rows; row++)
    larger.counts.set(looks.counts.subarray(row * looks.bins, (row + 1) * looks.bins), row * bins)
  return larger
}

/** Returns the sums of both; they have the same names. */
function addLooks(known: ItemLooks | undefined, added: ItemLooks): ItemLooks {
  if (known === undefined) return added
  const sums = withRoom(known, added.bins)
  for (let row = 0; row <= added.names.length; row++)
    addAt(sums.counts.subarray(row * sums.bins), added.counts, row * added.bins, added.bins)
  return sums
}
