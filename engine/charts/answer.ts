import { roundToPrinted } from '../csv/cells.ts'
import { settingsNotes } from '../exports/notes.ts'
import type { Parameters } from '../params.ts'
import { makePlan, type Plan } from '../plan.ts'
import type { EnginePool } from '../pool.ts'
import type { ExportName } from '../registry.ts'
import { type Kept, keptOf, selectTests, testsOfItem } from '../select.ts'
import type { Item, Snapshot } from '../study.ts'
import { numbersOf, type Rows } from '../table.ts'
import type { ChartRequest } from './chart.ts'
import type { FixationsPart } from './fixations.ts'
import type { GazePart } from './gaze.ts'
import type { HeatmapPart } from './heatmap.ts'
import { chartOf } from './kinds.ts'
import { readExport, runChart } from './run.ts'

/** What a chart is asked of: one item, everybody or one participant, and the settings of the exports. */
export type ChartSubject = {
  snapshot: Snapshot
  item: Item
  /** null for everybody. */
  participantIndex: number | null
  parameters: Parameters
  formulaGuard: boolean
}

export type ChartRun = { pool: EnginePool; signal: AbortSignal }

/** What every chart says of itself: what it draws, with which settings, and of how many. */
export type ChartHead = { export: ExportName; notes: string; kept: Kept }

const FIXATIONS_MAX = 20_000
const POINTS_MAX = 6000
const BINS_MAX = 2000

/** The plan of a chart: the one of the export that has the same numbers. */
export function chartPlan(subject: ChartSubject, exportName: ExportName): Plan {
  const { snapshot, item, parameters, formulaGuard } = subject
  return makePlan({ snapshot, exportName, parameters: { ...parameters, itemId: item.id }, formulaGuard })
}

/** Fixations with their AOIs, as the CSV prints them: for scanpaths, scarf plots, and the numbers beside the sliders. */
export async function fixationsAnswer(subject: ChartSubject, run: ChartRun) {
  const { head, part } = await compute<FixationsPart>(subject, run, { kind: 'fixations', fixationsMax: FIXATIONS_MAX })
  const { tests, fixationCount, testCount } = part
  return { ...head, fixationCount, testCount, listedTests: tests.length, tests }
}

/**
 * Gaze over time: in bins of time for all, and for one participant, or with `hasPoints` for all, points too: so many that a
 * browser can draw them.
 */
export async function gazeAnswer(subject: ChartSubject, run: ChartRun, { hasPoints }: { hasPoints: boolean }) {
  const tests = testsOf(subject, chartPlan(subject, 'gazes-split'))
  const sampleCounts = numbersOf(subject.snapshot.tables.tests, 'sampleCount')
  const samples = tests.reduce((sum, row) => sum + sampleCounts[row], 0)
  const pointsEvery = subject.participantIndex === null && !hasPoints ? 0 : Math.max(1, Math.ceil(samples / POINTS_MAX))
  const binMs = binWidthMs(subject, tests)
  const request: ChartRequest = { kind: 'gaze', binMs, binsMax: BINS_MAX, pointsEvery }
  const { head, part } = await compute<GazePart>(subject, run, request)
  const { pointCount, laterCount, n, sumX, sumY, sumXx, sumYy, inAoi, points } = part
  const bins = n.map((count, bin) => ({
    fromMs: bin * binMs,
    n: count,
    meanX: mean(sumX[bin] / 1e6, count),
    meanY: mean(sumY[bin] / 1e6, count),
    sdX: deviation(sumX[bin] / 1e6, sumXx[bin], count),
    sdY: deviation(sumY[bin] / 1e6, sumYy[bin], count),
    inAoi: inAoi.map((counts) => counts[bin]),
  }))
  return { ...head, binMs, pointCount, laterCount, pointsEvery, bins, points }
}

function mean(sum: number, n: number): number | null {
  return n === 0 ? null : roundToPrinted(sum / n)
}

/** Standard deviation of the points themselves, not an estimate for others. */
function deviation(sum: number, sumOfSquares: number, n: number): number | null {
  return n === 0 ? null : roundToPrinted(Math.sqrt(Math.max(0, sumOfSquares / n - (sum / n) ** 2)))
}

const BIN_WIDTHS_MS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 3_600_000]
const BINS_WANTED = 80

function binWidthMs({ item, snapshot }: ChartSubject, tests: Rows): number {
  const durationsUs = numbersOf(snapshot.tables.tests, 'durationUs')
  const longestMs = tests.reduce((most, row) => Math.max(most, (durationsUs[row] || 0) / 1000), 0)
  const spanMs = item.stimuliDurationMs ?? (longestMs || 10_000)
  return BIN_WIDTHS_MS.find((width) => spanMs / width <= BINS_WANTED) ?? BIN_WIDTHS_MS[BIN_WIDTHS_MS.length - 1]
}

const GRID_COLUMNS = 160

/** Gaze on a grid of nearly square cells. No kernel is laid over it here: these are counts that can be counted again. */
export async function heatmapAnswer(subject: ChartSubject, run: ChartRun, { of }: { of: 'gazes' | 'fixations' }) {
  const { widthPx, heightPx } = shapeOf(subject)
  const columns = widthPx >= heightPx ? GRID_COLUMNS : Math.max(8, Math.round((GRID_COLUMNS * widthPx) / heightPx))
  const rows = Math.max(8, Math.round((columns * heightPx) / widthPx))
  const { head, part } = await compute<HeatmapPart>(subject, run, { kind: 'heatmap', of, columns, rows })
  const { weights, total, outside, count, participants } = part
  const unit = of === 'gazes' ? 'gaze points' : 'ms of fixation'
  return {
    ...head,
    of,
    unit,
    columns,
    rows,
    count,
    total,
    outside,
    participants: participants.size,
    weights: [...weights],
  }
}

/** The item's own size, else how it was displayed first. */
function shapeOf({ snapshot, item }: ChartSubject): { widthPx: number; heightPx: number } {
  if (item.widthPx !== null && item.heightPx !== null) return { widthPx: item.widthPx, heightPx: item.heightPx }
  const shown = snapshot.tests.find((test) => snapshot.study.items[test.itemIndex] === item && test.display !== null)
  return shown?.display ?? { widthPx: 16, heightPx: 9 }
}

/** Rows of `aoi-overall-stats` for all, of `aoi-fixations-stats` for one participant: the export itself, read. */
export async function aoisAnswer(subject: ChartSubject, run: ChartRun) {
  const exportName = subject.participantIndex === null ? 'aoi-overall-stats' : 'aoi-fixations-stats'
  const plan = chartPlan(subject, exportName)
  const tests = testsOf(subject, plan)
  const [columns = [], ...rows] = await readExport({ plan, snapshot: subject.snapshot, tests, ...run })
  return { ...headOf(subject, plan, tests), columns, rows }
}

async function compute<Part>(subject: ChartSubject, run: ChartRun, request: ChartRequest) {
  const plan = chartPlan(subject, chartOf(request).export)
  const tests = testsOf(subject, plan)
  const part = await runChart<Part>({ request, plan, snapshot: subject.snapshot, tests, ...run })
  return { head: headOf(subject, plan, tests), part }
}

function testsOf(subject: ChartSubject, plan: Plan): Rows {
  const tests = selectTests(plan, subject.snapshot)
  return subject.participantIndex === null ? tests : tests.filter(isOf(subject))
}

/** Whether a test is of the subject's participant. */
function isOf({ snapshot, participantIndex }: ChartSubject): (row: number) => boolean {
  const participants = numbersOf(snapshot.tables.tests, 'participantIndex')
  return (row) => participantIndex === null || participants[row] === participantIndex
}

function headOf(subject: ChartSubject, plan: Plan, tests: Rows): ChartHead {
  const { snapshot, item } = subject
  const kept = keptOf(tests, testsOfItem(snapshot, item.id).filter(isOf(subject)), snapshot)
  return { export: plan.export, notes: settingsNotes(plan), kept }
}
