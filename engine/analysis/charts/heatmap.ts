import { toMillionths } from '../../compute/aoi.ts'
import { isWithinTime } from '../../compute/time-window.ts'
import { roundToMs } from '../../text/numbers.ts'
import { type Chart, gridCellOf, type HeatmapOf, type HeatmapWeighting } from './chart.ts'

/** Gaze on a grid over the item, in whole numbers: gaze points, or ms of fixation. */
export type HeatmapPart = {
  /** Sums over all participants, row by row from the top left; all 0 if each participant has sums of their own. */
  weights: Float64Array
  /** Number of gaze points or fixations, on the item and beside it. */
  count: number
  participants: Map<string, OfParticipant>
}

/** Sums of one participant: on the item, beside it and, on request, for each cell. */
type OfParticipant = { total: number; outside: number; cells: Map<number, number> }

/**
 * Returns the chart that counts gaze on a grid: recorded, denoised gaze points (`gazes-split` without interpolated
 * points), each as 1, or fixations, each as its printed duration in ms. The printed percent of a point decides its
 * cell, so the chart can be recomputed from the CSV.
 */
export function heatmapChart(
  of: HeatmapOf,
  weighting: HeatmapWeighting,
  columns: number,
  rows: number,
): Chart<HeatmapPart> {
  const put = (part: HeatmapPart, own: OfParticipant, xPercent: number, yPercent: number, weight: number) => {
    const column = gridCellOf(toMillionths(xPercent), columns)
    const row = gridCellOf(toMillionths(yPercent), rows)
    part.count++
    if (column < 0 || row < 0) {
      own.outside += weight
      return
    }
    own.total += weight
    const cell = row * columns + column
    if (weighting === 'counts') part.weights[cell] += weight
    else own.cells.set(cell, (own.cells.get(cell) ?? 0) + weight)
  }
  return {
    export: of === 'gazes' ? 'gazes-split' : 'fixations',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
    ofViewers: true,
    start: () => ({
      weights: new Float64Array(columns * rows),
      count: 0,
      participants: new Map(),
    }),
    addTest: (part, run, context) => {
      const gaze = context.gazeOf(run)
      const { id } = run.identity.participant
      const own = part.participants.get(id) ?? { total: 0, outside: 0, cells: new Map<number, number>() }
      const before = part.count
      if (of === 'gazes') {
        for (let i = 0; i < gaze.n; i++) {
          if (gaze.isInterpolated[i] === 0 && isWithinTime(gaze.tUs[i], context.window))
            put(part, own, gaze.xPercent[i], gaze.yPercent[i], 1)
        }
      } else {
        const { n, xPercent, yPercent, startUs, endUs } = context.fixationsOf(run, gaze)
        for (let f = 0; f < n; f++) {
          put(part, own, xPercent[f], yPercent[f], roundToMs(endUs[f]) - roundToMs(startUs[f]))
        }
      }
      if (part.count > before) part.participants.set(id, own)
    },
    merge: (total, part) => {
      for (let i = 0; i < part.weights.length; i++) total.weights[i] += part.weights[i]
      total.count += part.count
      for (const [id, own] of part.participants) addParticipant(total.participants, id, own)
    },
  }
}

/** Merges the sums of a participant, whose tests may be in several shards. */
function addParticipant(participants: HeatmapPart['participants'], id: string, own: OfParticipant): void {
  const before = participants.get(id)
  if (before === undefined) {
    participants.set(id, own)
    return
  }
  before.total += own.total
  before.outside += own.outside
  for (const [cell, weight] of own.cells) before.cells.set(cell, (before.cells.get(cell) ?? 0) + weight)
}

/** Values of a heatmap: one for each cell, and the totals on the item and beside it. */
type Heatmap = { weights: Float64Array; total: number; outside: number }

/** Sums, as counted. */
export function countsOf({ weights, participants }: HeatmapPart): Heatmap {
  let total = 0
  let outside = 0
  for (const own of participants.values()) {
    total += own.total
    outside += own.outside
  }
  return { weights, total, outside }
}

/**
 * Returns the mean over participants of each cell's percent of their own sum, so that longer recordings weigh no more.
 *
 * @param part of a chart with sums for each participant
 */
export function sharesOf({ weights: { length }, participants }: HeatmapPart): Heatmap {
  const weights = new Float64Array(length)
  let total = 0
  let outside = 0
  const counted = [...participants.values()].filter((own) => own.total + own.outside > 0)
  for (const own of counted) {
    const percent = 100 / (own.total + own.outside) / counted.length
    total += own.total * percent
    outside += own.outside * percent
    for (const [cell, weight] of own.cells) weights[cell] += weight * percent
  }
  return { weights, total, outside }
}
