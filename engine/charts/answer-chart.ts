import { columnsOf } from '../exports/columns-of.ts'
import { makePlan } from '../exports/make-plan.ts'
import { settingsNotes } from '../exports/notes.ts'
import { exportOf } from '../exports/registry.ts'
import { studyFacts } from '../exports/study-facts.ts'
import type { ExportName } from '../model/export-names.ts'
import type { Parameters } from '../model/parameters.ts'
import type { Plan } from '../model/plan.ts'
import type { Item, Snapshot } from '../model/study.ts'
import { selectPlanned } from '../run/estimate.ts'
import type { EnginePool } from '../run/pool.ts'
import { loadRows } from '../snapshot/read-rows.ts'
import { countSamples, longestTestUs, pickTests, type Selection, selectTests } from '../snapshot/selection.ts'
import { roundToPrinted } from '../text/cells.ts'
import type { ChartRequest } from './chart.ts'
import { chartOf } from './chart-kinds.ts'
import type { FixationsPart } from './fixation-chart.ts'
import type { GazePart } from './gaze-chart.ts'
import type { HeatmapPart } from './heatmap.ts'
import { runChart } from './run-chart.ts'
import { type Kept, keptOf } from './selection-counts.ts'
import { printTable, type TablePart } from './table-preview.ts'

/** The subject of a chart: one item, all participants or one, and the settings of the exports. */
export type ChartSubject = {
  snapshot: Snapshot
  item: Item
  /** null for everybody. */
  participantIndex: number | null
  parameters: Parameters
  formulaGuard: boolean
}

export type ChartRun = { pool: EnginePool; signal: AbortSignal }

/** Facts that every chart has: its export, its settings and its counts. */
export type ChartHead = { export: ExportName; notes: string; kept: Kept }

const FIXATIONS_MAX = 20_000
const POINTS_MAX = 6000
const BINS_MAX = 2000

/** Returns the plan of the export that has the same numbers as a chart. */
export function chartPlan(subject: ChartSubject, exportName: ExportName): Plan {
  const { snapshot, item, parameters, formulaGuard } = subject
  return makePlan({ snapshot, exportName, parameters: { ...parameters, itemId: item.id }, formulaGuard })
}

/**
 * Returns fixations with their AOIs, as the CSV prints them: for scanpaths, scarf plots, and the numbers beside the
 * sliders.
 */
export async function fixationsAnswer(subject: ChartSubject, run: ChartRun) {
  const { head, part } = await compute<FixationsPart>(subject, run, { kind: 'fixations', fixationsMax: FIXATIONS_MAX })
  const { tests, fixationCount, testCount } = part
  return { ...head, fixationCount, testCount, listedTests: tests.length, tests }
}

/**
 * Returns gaze over time, in bins; for one participant, or with `hasPoints` for all, also points, as many as a browser
 * can draw.
 */
export async function gazeAnswer(subject: ChartSubject, run: ChartRun, { hasPoints }: { hasPoints: boolean }) {
  const tests = await testsOf(subject, chartPlan(subject, 'gazes-split'))
  const samples = countSamples(tests)
  const pointsEvery = subject.participantIndex === null && !hasPoints ? 0 : Math.max(1, Math.ceil(samples / POINTS_MAX))
  const binMs = await binWidthMs(subject, tests)
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

/** Returns the standard deviation of the points themselves (not an estimate for a population); null without points. */
function deviation(sum: number, sumOfSquares: number, n: number): number | null {
  return n === 0 ? null : roundToPrinted(Math.sqrt(Math.max(0, sumOfSquares / n - (sum / n) ** 2)))
}

const BIN_WIDTHS_MS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 3_600_000]
const BINS_WANTED = 80

async function binWidthMs({ item, snapshot }: ChartSubject, tests: Selection): Promise<number> {
  const spanMs = item.stimuliDurationMs ?? (((await longestTestUs(snapshot, tests)) ?? 0) / 1000 || 10_000)
  return BIN_WIDTHS_MS.find((width) => spanMs / width <= BINS_WANTED) ?? BIN_WIDTHS_MS[BIN_WIDTHS_MS.length - 1]
}

const GRID_COLUMNS = 160

/** Returns counts of gaze on a grid of nearly square cells; the browser lays a kernel over them. */
export async function heatmapAnswer(subject: ChartSubject, run: ChartRun, { of }: { of: 'gazes' | 'fixations' }) {
  const { widthPx, heightPx } = await shapeOf(subject)
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

/** Returns the size of an item: its own, or that of its first display. */
async function shapeOf({ snapshot, item }: ChartSubject): Promise<{ widthPx: number; heightPx: number }> {
  if (item.widthPx !== null && item.heightPx !== null) return { widthPx: item.widthPx, heightPx: item.heightPx }
  const { testRows, participantRows, n } = await selectTests(snapshot, { itemId: item.id, gradeMin: 1 })
  if (n === 0) return { widthPx: 16, heightPx: 9 }
  const { testAt } = await loadRows(snapshot, testRows.subarray(0, 1), participantRows.subarray(0, 1))
  return testAt(testRows[0]).display ?? { widthPx: 16, heightPx: 9 }
}

/** Returns the rows of `aoi-overall-stats` for all participants, of `aoi-fixations-stats` for one. */
export async function aoisAnswer(subject: ChartSubject, run: ChartRun) {
  const exportName = subject.participantIndex === null ? 'aoi-overall-stats' : 'aoi-fixations-stats'
  const request: ChartRequest = { kind: 'table', export: exportName, rowsMax: Number.POSITIVE_INFINITY }
  const { head, part, plan } = await compute<TablePart>(subject, run, request)
  const columns = columnsOf(exportOf(exportName), studyFacts(subject.snapshot)).map(({ name }) => name)
  return { ...head, columns, rows: printTable(part, plan, subject.snapshot) }
}

async function compute<Part>(subject: ChartSubject, run: ChartRun, request: ChartRequest) {
  const plan = chartPlan(subject, chartOf(request).export)
  const tests = await testsOf(subject, plan)
  const part = await runChart<Part>({ request, plan, snapshot: subject.snapshot, tests, ...run })
  return { head: await headOf(subject, plan, tests), part, plan }
}

async function testsOf({ snapshot, participantIndex }: ChartSubject, plan: Plan): Promise<Selection> {
  return ofParticipant(await selectPlanned(plan, snapshot), participantIndex)
}

function ofParticipant(tests: Selection, participantIndex: number | null): Selection {
  return participantIndex === null ? tests : pickTests(tests, (i) => tests.participantRows[i] === participantIndex)
}

async function headOf(
  { snapshot, item, participantIndex }: ChartSubject,
  plan: Plan,
  tests: Selection,
): Promise<ChartHead> {
  const all = await selectTests(snapshot, { itemId: item.id, gradeMin: 1 })
  return { export: plan.export, notes: settingsNotes(plan), kept: keptOf(tests, ofParticipant(all, participantIndex)) }
}
