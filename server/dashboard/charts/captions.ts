import type { Aoi, AoisData, FixationsData, GazeData, HeatmapData, Item, Kept } from '../api.ts'
import { count, countOf, decimal } from '../number-texts.ts'
import type { Numbers } from './figure.tsx'
import type { Heat } from './heat.ts'
import { fixationNumbers } from './scarf.tsx'
import type { Layers } from './stimulus.tsx'

/** Returns the facts of every caption: export, subject, n, version and settings. */
export function captionOf(
  subject: string,
  { export: name, notes, kept }: { export: string; notes: string; kept: Kept },
) {
  const n = `n = ${countOf(kept.participants, 'participant')}, ${countOf(kept.tests, 'test')} (of ${count(kept.testsTotal)})`
  return `${name} · ${subject} · ${n} · ${notes}.`
}

/** Returns which tests are drawn with their fixations, if not all are. */
export function drawnOf({ listedTests, testCount }: FixationsData): string {
  return listedTests < testCount ? ` The first ${count(listedTests)} of ${count(testCount)} tests are drawn.` : ''
}

export function stimulusCaption(
  item: Item,
  who: string,
  layers: Layers,
  fixations: FixationsData | null,
  gaze: GazeData | null,
  heatmap: HeatmapData | null,
  heat: Heat | null,
  kernel: number,
  bars: AoisData | null,
): string {
  const subject = `${item.filename || 'item'}, ${who}`
  const parts: string[] = []
  if (layers.heatmap && heatmap !== null && heat !== null)
    parts.push(
      `${captionOf(subject, heatmap)} Heatmap: ${count(heatmap.total)} ${heatmap.unit} on the item, ${count(heatmap.outside)} beside it, in ${heatmap.columns} × ${heatmap.rows} cells; Gaussian kernel, σ = ${kernel} % of the item's width; colours from 0 to the peak of ${decimal(heat.peak)} ${heatmap.unit} per cell.`,
    )
  if (layers.gaze && gaze !== null)
    parts.push(
      `${captionOf(subject, gaze)} ${count(gaze.points.length)} gaze points${gaze.pointsEvery > 1 ? `, one in ${gaze.pointsEvery} of ${count(gaze.pointCount)}` : ''}.`,
    )
  if (layers.scanpath && fixations !== null)
    parts.push(
      `${captionOf(subject, fixations)}${drawnOf(fixations)} Fixations: a circle's area grows with its duration.`,
    )
  if (bars !== null) parts.push(captionOf(subject, bars))
  if (parts.length === 0 && fixations !== null) parts.push(captionOf(subject, fixations))
  return parts.join(' ')
}

/** Returns the numbers of the topmost layer. */
export function stimulusNumbers(
  layers: Layers,
  fixations: FixationsData | null,
  gaze: GazeData | null,
  heatmap: HeatmapData | null,
  aois: Aoi[],
  names: Map<string, string>,
): Numbers {
  if (layers.scanpath && fixations !== null) return fixationNumbers({ fixations, aois, names })
  if (layers.gaze && gaze !== null)
    return {
      columns: ['gaze_timestamp_ms', 'gaze_x_percents', 'gaze_y_percents'],
      rows: gaze.points,
    }
  if (layers.heatmap && heatmap !== null) {
    const { columns, rows, weights } = heatmap
    const cells = weights
      .map((weight, i) => ({ weight, row: Math.floor(i / columns), column: i % columns }))
      .filter(({ weight }) => weight > 0)
    return {
      columns: ['from_x_percent', 'to_x_percent', 'from_y_percent', 'to_y_percent', heatmap.unit],
      rows: cells.map(({ weight, row, column }) => [
        (100 * column) / columns,
        (100 * (column + 1)) / columns,
        (100 * row) / rows,
        (100 * (row + 1)) / rows,
        weight,
      ]),
    }
  }
  return fixations === null ? { columns: [], rows: [] } : fixationNumbers({ fixations, aois, names })
}
