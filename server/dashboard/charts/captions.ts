import type { Aoi, AoisData, FixationsData, GazeData, HeatmapData, Item, Kept } from '../api.ts'
import type { View } from '../chart-view.ts'
import { HEAT_MAPS } from '../colors/heat-colors.ts'
import { type Heat, sigmaOf } from '../heat/paint-heat.ts'
import { count, countOf, decimal, isolate, significant } from '../number-texts.ts'
import type { Numbers } from './numbers-csv.ts'
import { fixationNumbers } from './scarf.tsx'

/** What every caption of a saved file says: export, what, n, version and settings. */
export function captionOf(
  subject: string,
  { export: name, notes, kept }: { export: string; notes: string; kept: Kept },
) {
  return `${name} · ${subject} · ${nOf({ kept })} · ${notes}.`
}

/** How many stand behind a chart. */
export function nOf({ kept }: { kept: Kept }): string {
  return `n = ${countOf(kept.participants, 'participant')}, ${countOf(kept.tests, 'test')} (of ${count(kept.testsTotal)})`
}

/** Returns which tests are drawn with their fixations, if not all are. */
export function drawnOf({ listedTests, testCount }: FixationsData): string {
  return listedTests < testCount
    ? ` Only the first ${count(listedTests)} of ${count(testCount)} tests are drawn; the numbers above are of all.`
    : ''
}

export type StimulusParts = {
  view: View
  fixations: FixationsData | null
  gaze: GazeData | null
  heatmap: HeatmapData | null
  heat: Heat | null
  bars: AoisData | null
}

export function subjectOf(item: Pick<Item, 'filename'>, who: string): string {
  return `${isolate(item.filename) || 'item'}, ${isolate(who)}`
}

export function stimulusCaption(subject: string, parts: StimulusParts): string {
  const { view, fixations, gaze, heatmap, heat, bars } = parts
  const texts: string[] = []
  if (view.layers.heatmap && heatmap !== null && heat !== null)
    texts.push(`${captionOf(subject, heatmap)} ${heatWords(heatmap, heat)}`)
  if (view.layers.gaze && gaze !== null)
    texts.push(
      `${captionOf(subject, gaze)} ${count(gaze.points.length)} gaze points${gaze.pointsEvery > 1 ? `, one in ${gaze.pointsEvery} of ${count(gaze.pointCount)}` : ''}.`,
    )
  if (view.layers.scanpath && fixations !== null)
    texts.push(
      `${captionOf(subject, fixations)}${drawnOf(fixations)} Fixations: a circle's area grows with its duration.`,
    )
  if (view.layers.aois && bars !== null) texts.push(captionOf(subject, bars))
  if (texts.length === 0 && fixations !== null) texts.push(captionOf(subject, fixations))
  return texts.join(' ')
}

function heatWords(data: HeatmapData, { style, end, peak }: Heat): string {
  const { across, down, px } = sigmaOf(data, style.kernel)
  const isShares = data.weighting === 'participants'
  const amounts = isShares
    ? `on average ${decimal(data.total)} ${data.unit} on the item, ${decimal(data.outside)} % beside it, each of ${countOf(data.participants, 'participant')} weighing the same`
    : `${count(data.total)} ${data.unit} on the item, ${count(data.outside)} beside it, all weighing the same whoever they are of`
  const scale = style.max === null ? 'the peak' : `a chosen end (the peak is ${significant(peak)})`
  return `Heatmap: ${amounts}, in ${data.columns} × ${data.rows} cells; Gaussian kernel, σ = ${style.kernel} % of the item's mean side √(width × height), which is ${decimal(px)} px of the item, ${decimal(across)} cells across and ${decimal(down)} down; colours (${HEAT_MAPS[style.colors].label.toLowerCase()}) from 0 to ${scale}, ${significant(end)} ${data.unit} per cell.`
}

/** The same on the page, where the settings and the numbers stand beside it. */
export function stimulusShort(parts: StimulusParts): string {
  const { view, fixations, gaze, heatmap, heat } = parts
  const texts: string[] = []
  if (view.layers.heatmap && heatmap !== null && heat !== null)
    texts.push(
      `Heatmap of ${heatmap.weighting === 'participants' ? `each participant's share of ${heatmap.of === 'gazes' ? 'viewing' : 'fixation'} time` : heatmap.of === 'gazes' ? 'gaze points' : 'fixation time'}, Gaussian kernel σ = ${heat.style.kernel} %.`,
    )
  if (view.layers.gaze && gaze !== null)
    texts.push(`${count(gaze.points.length)} of ${countOf(gaze.pointCount, 'gaze point')}.`)
  if (view.layers.scanpath && fixations !== null)
    texts.push(`Fixations: a circle's area grows with its duration.${drawnOf(fixations)}`)
  const known = fixations ?? heatmap
  return `${texts.join(' ')} ${known === null ? '' : nOf(known)}`.trim()
}

/** Returns the numbers of the topmost layer. */
export function stimulusNumbers(
  { view: { layers }, fixations, gaze, heatmap }: StimulusParts,
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
