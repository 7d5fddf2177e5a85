import { toMillionths } from '../compute/aoi.ts'
import { roundToMs } from '../text/numbers.ts'
import { type Chart, cellOf } from './chart.ts'

/** Gaze on a grid over the item. `weights` are whole numbers: gaze points, or ms of fixation; row by row from the top left. */
export type HeatmapPart = {
  weights: Float64Array
  /** Sum over the grid, and what fell outside the item. */
  total: number
  outside: number
  /** Gaze points or fixations, on and off the item. */
  count: number
  participants: Set<string>
}

/**
 * Returns the chart that counts gaze on a grid: recorded gaze points after denoising (`gazes-split` without
 * interpolated ones), each counting 1, or fixations, each counting its printed duration in ms. A point falls into its
 * cell by its printed percent, so the chart can be recomputed from the CSV.
 */
export function heatmapChart(of: 'gazes' | 'fixations', columns: number, rows: number): Chart<HeatmapPart> {
  const put = (part: HeatmapPart, xPercent: number, yPercent: number, weight: number) => {
    const column = cellOf(toMillionths(xPercent), columns)
    const row = cellOf(toMillionths(yPercent), rows)
    part.count++
    if (column < 0 || row < 0) {
      part.outside += weight
      return
    }
    part.weights[row * columns + column] += weight
    part.total += weight
  }
  return {
    export: of === 'gazes' ? 'gazes-split' : 'fixations',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
    start: () => ({
      weights: new Float64Array(columns * rows),
      total: 0,
      outside: 0,
      count: 0,
      participants: new Set(),
    }),
    addTest: (part, run, context) => {
      const gaze = context.gazeOf(run)
      const before = part.count
      if (of === 'gazes') {
        for (let i = 0; i < gaze.n; i++) {
          if (gaze.isInterpolated[i] === 0) put(part, gaze.xPercent[i], gaze.yPercent[i], 1)
        }
      } else {
        const { n, xPercent, yPercent, startUs, endUs } = context.fixationsOf(run, gaze)
        for (let f = 0; f < n; f++) put(part, xPercent[f], yPercent[f], roundToMs(endUs[f]) - roundToMs(startUs[f]))
      }
      if (part.count > before) part.participants.add(run.identity.participant.id)
    },
    merge: (total, part) => {
      for (let i = 0; i < part.weights.length; i++) total.weights[i] += part.weights[i]
      total.total += part.total
      total.outside += part.outside
      total.count += part.count
      for (const id of part.participants) total.participants.add(id)
    },
  }
}
