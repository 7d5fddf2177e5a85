import type { Aoi, AoisData, FixationsData, GazeData, HeatmapData, Item, Kept } from '../core/api.ts'
import { HEAT_MAPS } from '../core/colors/heat-maps.ts'
import { sigmaOf } from '../core/heat/kernel.ts'
import type { Heat } from '../core/heat/paint-heat.ts'
import { countOf, decimal, isolate, significant, wholeText } from '../core/number-texts.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { drawsDensity, type View } from '../core/view/chart-view.ts'
import type { Caption, FigureSource } from './caption.ts'
import { eventWords } from './event-words.ts'
import { fixationNumbers } from './fixation-numbers.ts'
import { type GazePlots, plotsWords, plottedOf } from './gaze-plots.ts'

export const NO_CAPTION: Caption = { short: '', reading: '', sources: [] }

export type FigureAnswer = { export: string; notes: string } & FigureCounts
/** Number of tests that a filter keeps, and of those that the numbers cover. */
export type FigureCounts = { kept: Kept; counted: { tests: number; participants: number } }

export function sourceOf(subject: string, answered: FigureAnswer): FigureSource {
  return { text: `${answered.export} · ${subject} · ${nOf(answered)}`, notes: answered.notes }
}

/** Groups sources by the settings that they share. */
export function bySettings(sources: FigureSource[]): { texts: string[]; notes: string }[] {
  const all = [...new Set(sources.map(({ notes }) => notes))]
  return all.map((notes) => ({
    texts: sources.filter((source) => source.notes === notes).map(({ text }) => text),
    notes,
  }))
}

/**
 * Returns a whole caption for a file that stands alone: what applies to the study, then export, subject, n, version,
 * settings, and how to read it.
 *
 * @param applied what applies to the figures of the page; '' if all tests count, with default settings
 */
export function wholeCaption({ reading, sources }: Caption, applied = ''): string {
  const told = bySettings(sources).map(({ texts, notes }) => `${texts.join('; ')} · ${notes}.`)
  return [...(applied === '' || told.length === 0 ? [] : [`${applied}.`]), ...told, reading].join(' ').trim()
}

/** Returns the source line of a saved file: export, subject, n, version and settings. */
export function captionOf(subject: string, answered: FigureAnswer): string {
  return wholeCaption({ short: '', reading: '', sources: [sourceOf(subject, answered)] })
}

/** Returns the end of a sentence: whose data it is, how many tests, and how many are left out. */
export function ofWhom(counts: FigureCounts): string {
  const { kept, counted } = counts
  const left = leftOut(counts)
  return `of ${countOf(counted.participants, 'participant')}, in ${wholeText(counted.tests)} of ${countOf(kept.testsTotal, 'test')}.${left === '' ? '' : ` ${left}`}`
}

/** Returns a note, for durations, on the length at which fixations are cut; '' if they are not. */
export function cutWords({ notes }: Pick<FigureAnswer, 'notes'>): string {
  const most = /maxFixationDurationMs = ([\d.]+)/.exec(notes)?.[1]
  const isCut = most !== undefined && !/detector = (?!velocity)/.test(notes)
  return isCut ? ` Fixations are split at ${most} ms (maxFixationDurationMs).` : ''
}

/** Says which of two durations a figure of fixations has: exports of AOIs sum exact times. */
const DURATION_WORDS =
  'Durations are those of the column fixation_duration_ms: the end less the start, both in whole ms.'

/** Says how many of the kept tests are left out because they have no gaze; '' for none. */
export function leftOut({ kept, counted }: FigureCounts): string {
  const n = kept.tests - counted.tests
  return n === 0 ? '' : `${countOf(n, 'test')} without valid gaze ${n === 1 ? 'is' : 'are'} left out.`
}

/** Returns the n of a chart in words. */
function nOf({ kept, counted }: FigureCounts): string {
  return `n = ${countOf(counted.participants, 'participant')}, ${countOf(counted.tests, 'test')} (of ${wholeText(kept.testsTotal)})`
}

/** Says which tests are drawn with their fixations, unless all are. */
function drawnOf({ listedTests, testCount }: FixationsData): string {
  return listedTests < testCount
    ? ` Only the first ${wholeText(listedTests)} of ${wholeText(testCount)} tests are drawn; the numbers cover all.`
    : ''
}

export type StimulusParts = {
  view: View
  fixations: FixationsData | null
  gaze: GazeData | null
  heatmap: HeatmapData | null
  heat: Heat | null
  bars: AoisData | null
  /** Gaze plots, if fixations are drawn as such. */
  plots: GazePlots | null
}

export function figureSubject(item: Pick<Item, 'filename'>, who: string): string {
  return `${isolate(item.filename) || 'item'}, ${isolate(who)}`
}

export function stimulusCaption(subject: string, parts: StimulusParts): Caption {
  const { view, fixations, gaze, heatmap, heat, bars, plots } = parts
  const layers: { what: string; data: FigureAnswer; reading: string }[] = []
  if (drawsDensity(view.layers) && heatmap !== null && heat !== null)
    layers.push({
      what: `${view.layers.fog ? 'fog map' : 'heatmap'} of ${heatOf(heatmap)}`,
      data: heatmap,
      reading: heatWords(heatmap, heat),
    })
  if (view.layers.gaze && gaze !== null) {
    const all = countOf(gaze.pointCount, 'gaze point')
    const drawn = wholeText(gaze.points.length)
    layers.push({ what: gaze.pointsEvery > 1 ? `${drawn} of ${all}` : all, data: gaze, reading: '' })
  }
  if (view.layers.scanpath && fixations !== null) {
    const letters = plots === null ? '' : ' Each colour is a participant, whose letter is at the first fixation.'
    const reading = `Fixations: the area of a circle is proportional to the duration; the numbers give the order.${letters}${cutWords(fixations)}`
    const all = countOf(fixations.fixationCount, 'fixation')
    layers.push({ what: plots === null ? all : plotsOf(fixations, plots, all), data: fixations, reading })
  }
  if (view.layers.aois && bars !== null) layers.push({ what: 'areas of interest', data: bars, reading: '' })
  const listed = view.layers.scanpath && fixations !== null ? drawnOf(fixations) : ''
  const drawn = `${listed}${view.layers.scanpath && plots !== null ? plotsWords(plots) : ''}`
  if (layers.length === 0 && fixations !== null) layers.push({ what: 'only the item', data: fixations, reading: '' })
  if (layers.length === 0) return NO_CAPTION
  const whats = layers.map(({ what }) => what).join(', ')
  return {
    short: `${whats[0].toUpperCase()}${whats.slice(1)}, ${ofWhom(layers[0].data)}${drawn}`,
    reading: [
      ...layers.map(({ reading }) => reading),
      drawn.trim(),
      // Its numbers stand beside the figure.
      fixations === null ? '' : DURATION_WORDS,
    ]
      .filter((text) => text !== '')
      .join(' '),
    sources: layers.map(({ data }) => sourceOf(subject, data)),
  }
}

/** Returns the caption of a scarf plot. @param hidden note on the missing AOIs */
export function scarfCaption(subject: string, data: FixationsData, hasAois: boolean, hidden: string): Caption {
  const inAll =
    'The number in a bar is that of its AOI. A fixation in several AOIs has the colour of the first chosen AOI among them, in the order of the study or by size. Dark grey is an AOI without a colour of its own; pale grey is outside all AOIs.'
  return {
    short: `${countOf(data.fixationCount, 'fixation')} over time, one row per test and one bar per fixation${hasAois ? ', in the colour of its AOI' : ''}, ${ofWhom(data)}${hidden}${drawnOf(data)}`,
    reading:
      `${drawnOf(data)} ${DURATION_WORDS} ${hasAois ? inAll : ''} ${eventWords(data, 'A line across a row')}`.trim(),
    sources: [sourceOf(subject, data)],
  }
}

/** Says how many of the participants and fixations gaze plots show. */
function plotsOf(fixations: FixationsData, plots: GazePlots, all: string): string {
  const drawn = plottedOf(fixations, plots).tests.reduce((sum, test) => sum + test.fixations.length, 0)
  return `gaze plots of ${countOf(plots.drawn.length, 'participant')} (${wholeText(drawn)} of ${all})`
}

function heatOf({ of, weighting }: HeatmapData): string {
  if (weighting === 'participants') return `each participant’s share of ${of === 'gazes' ? 'viewing' : 'fixation'} time`
  return of === 'gazes' ? 'gaze points' : 'fixation time'
}

function heatWords(data: HeatmapData, { style, end, peak }: Heat): string {
  const { across, down, px } = sigmaOf(data, style.kernel)
  const isShares = data.weighting === 'participants'
  const amounts = isShares
    ? `on average ${decimal(data.total)} ${data.unit} on the item, ${decimal(data.outside)} % beside it, with equal weight for each of ${countOf(data.participants, 'participant')}`
    : `${wholeText(data.total)} ${data.unit} on the item, ${wholeText(data.outside)} beside it, each with equal weight`
  const scale = style.max === null ? 'the peak' : `a chosen maximum (the peak is ${significant(peak)})`
  const top = `${scale}, ${significant(end)} ${data.unit} per cell`
  const fullFog = `${Math.round(100 * style.opacity)} % opacity`
  const fog =
    peak === 0
      ? `fog of ${fullFog} covers all of it, since the density is 0 everywhere`
      : `the picture is fully clear from ${top}; fog thickens in proportion as the density falls, to ${fullFog} at 0`
  const colors = style.fog === null ? `colours (${HEAT_MAPS[style.colors].label.toLowerCase()}) from 0 to ${top}` : fog
  return `${style.fog === null ? 'Heatmap' : 'Fog map'}: ${amounts}, in ${data.columns} × ${data.rows} cells; Gaussian kernel, σ = ${style.kernel} % of the item's mean side √(width × height), which is ${decimal(px)} px of the item, ${decimal(across)} cells across and ${decimal(down)} down; ${colors}.`
}

/** Returns the numbers of the topmost layer. */
export function stimulusNumbers(
  { view: { layers }, fixations, gaze, heatmap, plots }: StimulusParts,
  aois: Aoi[],
  names: Map<string, string>,
): Numbers {
  if (layers.scanpath && fixations !== null)
    return fixationNumbers({ fixations: plots === null ? fixations : plottedOf(fixations, plots), aois, names })
  if (layers.gaze && gaze !== null)
    return {
      columns: ['gaze_timestamp_ms', 'gaze_x_percents', 'gaze_y_percents'],
      rows: gaze.points,
    }
  if (drawsDensity(layers) && heatmap !== null) {
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
