import { describeAois } from '../../exports/columns/aoi-identity.ts'
import { columnsOf } from '../../exports/columns/columns-of.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { makePlan } from '../../exports/make-plan.ts'
import { exportOf, ofWindow } from '../../exports/registry.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import type { Item, Snapshot } from '../../model/study.ts'
import { selectPlanned } from '../../run/estimate.ts'
import type { EnginePool } from '../../run/pool/pool.ts'
import { loadRows } from '../../snapshot/rows/read-rows.ts'
import {
  countSamples,
  firstTests,
  longestTestUs,
  pickTests,
  type Selection,
  selectTests,
} from '../../snapshot/selection.ts'
import { printedOrNull, roundToPrinted } from '../../text/cells.ts'
import { ranksBySize } from '../statistics/aoi-ranks.ts'
import type { ChartRequest, HeatmapOf, HeatmapWeighting } from './chart.ts'
import { chartOf } from './chart-kinds.ts'
import type { FixationsPart } from './fixation-chart.ts'
import { type GazePart, spreadOf } from './gaze-chart.ts'
import { countsOf, type HeatmapPart, sharesOf } from './heatmap.ts'
import type { PupilTracesPart } from './pupil-traces-chart.ts'
import type { RecordingPart } from './recording-chart.ts'
import { runChart } from './run-chart.ts'
import { type Counted, countedOf, type KeptTests, keptOf } from './selection-counts.ts'
import { printTable, type TablePart } from './table-preview.ts'
import type { Viewers } from './viewers.ts'

/** The subject of a chart: one item, all participants or one, and the settings of the exports. */
export type ChartSubject = {
  snapshot: Snapshot
  item: Item
  /** Participant; null for all. */
  participantIndex: number | null
  parameters: Parameters
  formulaGuard: boolean
}

export type ChartRun = { pool: EnginePool; signal: AbortSignal }

/** Facts that every chart has: its export, its settings and its counts. */
type ChartHead = { export: ExportName; notes: string; kept: KeptTests; counted: Counted }

const FIXATIONS_MAX = 20_000
const POINTS_MAX = 6000
const BINS_MAX = 2000

/** Returns the plan of the export with the same numbers as a chart, including the chart's time window. */
export function chartPlan(subject: ChartSubject, exportName: ExportName): Plan {
  const { snapshot, item, parameters, formulaGuard } = subject
  const plan = makePlan({
    snapshot,
    exportName,
    parameters: { ...parameters, itemId: item.id },
    formulaGuard,
    hasEpochs: false,
  })
  return { ...plan, parameters: { ...plan.parameters, ...ofWindow(parameters) } }
}

/**
 * Returns fixations with their AOIs, with the values of the CSV, for scanpaths, scarf plots and numbers beside sliders;
 * only the numbers unless they are listed.
 */
export async function fixationsAnswer(subject: ChartSubject, run: ChartRun, { isListed }: { isListed: boolean }) {
  const request: ChartRequest = { kind: 'fixations', fixationsMax: isListed ? FIXATIONS_MAX : 0 }
  const { head, part } = await compute<FixationsPart>(subject, run, request)
  const { tests, sums, markCount: _, ...counts } = part
  const { amplitudeMillionths, ...whole } = sums
  const { sizePercent } = describeAois(subject.snapshot.study.aois, subject.item)
  return {
    ...head,
    ...counts,
    aoiRanks: [...ranksBySize(sizePercent)],
    listedTests: tests.length,
    sums: { ...whole, amplitudePercent: amplitudeMillionths / 1e6 },
    means: {
      durationMs: counts.fixationCount === 0 ? null : whole.durationMs / counts.fixationCount,
      amplitudePercent: whole.saccadeCount === 0 ? null : amplitudeMillionths / 1e6 / whole.saccadeCount,
    },
    tests,
  }
}

/**
 * Returns gaze over time, in bins. For one participant, or with `hasPoints` for all, also returns points, as many as a
 * browser can draw.
 */
export async function gazeAnswer(subject: ChartSubject, run: ChartRun, { hasPoints }: { hasPoints: boolean }) {
  const tests = await testsOf(subject, chartPlan(subject, 'gazes-split'), run.signal)
  const samples = countSamples(tests)
  const pointsEvery = subject.participantIndex === null && !hasPoints ? 0 : Math.max(1, Math.ceil(samples / POINTS_MAX))
  const binMs = await binWidthMs(subject, tests)
  const request: ChartRequest = { kind: 'gaze', binMs, binsMax: BINS_MAX, pointsEvery }
  const { head, part } = await compute<GazePart>(subject, run, request)
  const { pointCount, laterCount, n, inAoi, points } = part
  const bins = n.map((count, bin) => {
    const { participants, meanX, meanY, sdX, sdY } = spreadOf(part, bin)
    return {
      fromMs: bin * binMs,
      n: count,
      participants,
      meanX: printedOrNull(meanX),
      meanY: printedOrNull(meanY),
      sdX: printedOrNull(sdX),
      sdY: printedOrNull(sdY),
      inAoi: inAoi.map((counts) => counts[bin]),
    }
  })
  return { ...head, binMs, pointCount, laterCount, pointsEvery, bins, points }
}

const BIN_WIDTHS_MS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 3_600_000]
const BINS_WANTED = 80

async function binWidthMs({ item, snapshot }: ChartSubject, tests: Selection): Promise<number> {
  const spanMs = item.stimuliDurationMs ?? (((await longestTestUs(snapshot, tests)) ?? 0) / 1000 || 10_000)
  return BIN_WIDTHS_MS.find((width) => spanMs / width <= BINS_WANTED) ?? BIN_WIDTHS_MS[BIN_WIDTHS_MS.length - 1]
}

/** Number of cells per side, equal for tall and wide items, so that one kernel suits both of its sides. */
const GRID_SIDE = 160

const UNITS: Record<HeatmapWeighting, Record<HeatmapOf, string>> = {
  counts: { gazes: 'gaze points', fixations: 'ms of fixation' },
  participants: { gazes: '% of viewing time', fixations: '% of fixation time' },
}

/**
 * Returns gaze on a grid of nearly square cells. The numbers are counts without smoothing, so they can be recomputed.
 */
export async function heatmapAnswer(
  subject: ChartSubject,
  run: ChartRun,
  { of, weighting }: { of: HeatmapOf; weighting: HeatmapWeighting },
) {
  const { widthPx, heightPx } = await shapeOf(subject)
  const columns = Math.max(8, Math.round(GRID_SIDE * Math.sqrt(widthPx / heightPx)))
  const rows = Math.max(8, Math.round(GRID_SIDE * Math.sqrt(heightPx / widthPx)))
  const { head, part } = await compute<HeatmapPart>(subject, run, { kind: 'heatmap', of, weighting, columns, rows })
  const { weights, total, outside } = weighting === 'counts' ? countsOf(part) : sharesOf(part)
  return {
    ...head,
    of,
    weighting,
    unit: UNITS[weighting][of],
    widthPx,
    heightPx,
    columns,
    rows,
    count: part.count,
    total: roundToPrinted(total),
    outside: roundToPrinted(outside),
    participants: part.participants.size,
    weights: Array.from(weights, roundToPrinted),
  }
}

/** Returns the size of an item: its own, or that of its first displayed rectangle. */
async function shapeOf({ snapshot, item }: ChartSubject): Promise<{ widthPx: number; heightPx: number }> {
  if (item.widthPx !== null && item.heightPx !== null) return { widthPx: item.widthPx, heightPx: item.heightPx }
  const { testRows, participantRows, n } = await selectTests(snapshot, { itemId: item.id, gradeMin: 1 })
  if (n === 0) return { widthPx: 16, heightPx: 9 }
  const { testAt } = await loadRows(snapshot, testRows.subarray(0, 1), participantRows.subarray(0, 1))
  return testAt(testRows[0]).display ?? { widthPx: 16, heightPx: 9 }
}

/** Returns the rows of `aoi-overall-stats` for all participants, or of `aoi-fixations-stats` for one. */
export async function aoisAnswer(subject: ChartSubject, run: ChartRun) {
  const exportName = subject.participantIndex === null ? 'aoi-overall-stats' : 'aoi-fixations-stats'
  const rowsMax = Number.POSITIVE_INFINITY
  // Rows that span tests already leave out tests without gaze, and clicks of these tests count.
  const ofViewers = exportName === 'aoi-fixations-stats'
  const request: ChartRequest = { kind: 'table', export: exportName, rowsMax, columns: null, ofViewers }
  const { head, part, plan } = await compute<TablePart>(subject, run, request)
  const facts = studyFacts(subject.snapshot)
  const columns = columnsOf(exportOf(exportName), facts, plan.parameters).map(({ name }) => name)
  return { ...head, columns, rows: printTable(part, plan, subject.snapshot) }
}

/** Largest number of tests that a browser plays smoothly at once, and of samples sent for them. */
const PLAYED_TESTS_MAX = 300
const PLAYED_SAMPLES_MAX = 400_000

/** Limit that keeps later tests from being played; null for none. */
type PlayedLimit = { of: 'tests' | 'samples'; most: number } | null

/** Returns the first of these tests, as many as a replay plays, and the limit that keeps others out. */
export function playedTests(all: Selection): { tests: Selection; limit: PlayedLimit } {
  const first = pickTests(all, (i) => i < PLAYED_TESTS_MAX)
  const tests = firstTests(first, PLAYED_SAMPLES_MAX)
  if (tests.n < first.n) return { tests, limit: { of: 'samples', most: PLAYED_SAMPLES_MAX } }
  return { tests, limit: first.n < all.n ? { of: 'tests', most: PLAYED_TESTS_MAX } : null }
}

/** Returns the recordings of the first tests, as many whole tests as a browser can play at once. */
export async function recordingAnswer(subject: ChartSubject, run: ChartRun) {
  let limit: PlayedLimit = null
  const some = (all: Selection) => {
    const played = playedTests(all)
    limit = played.limit
    return played.tests
  }
  const { head, part } = await compute<RecordingPart>(subject, run, { kind: 'recording' }, some)
  return { ...head, tests: part.tests, limit: limit as PlayedLimit }
}

/** Largest number of tests whose pupils are drawn with every step, and of samples sent for them. */
const TRACED_TESTS_MAX = 20
const TRACED_SAMPLES_MAX = 120_000

/** Returns the pupils of the first tests after each step, and their events. */
export async function pupilTracesAnswer(subject: ChartSubject, run: ChartRun) {
  const some = (tests: Selection) =>
    firstTests(
      pickTests(tests, (i) => i < TRACED_TESTS_MAX),
      TRACED_SAMPLES_MAX,
    )
  const { head, part } = await compute<PupilTracesPart>(subject, run, { kind: 'pupil-traces' }, some)
  return { ...head, unit: subject.snapshot.study.recording?.pupilUnit ?? null, tests: part.tests }
}

/** Computes a chart of a subject. @param some selects the tests to compute among those that pass */
export async function compute<Part>(
  subject: ChartSubject,
  run: ChartRun,
  request: ChartRequest,
  some = (tests: Selection) => tests,
) {
  const plan = chartPlan(subject, chartOf(request).export)
  const tests = await testsOf(subject, plan, run.signal)
  const { snapshot } = subject
  const { part, viewers } = await runChart<Part>({ ...run, request, plan, snapshot, tests: some(tests) })
  return {
    head: await headOf(subject, plan, tests, ['recording', 'pupil-traces'].includes(request.kind) ? null : viewers),
    part,
    plan,
  }
}

async function testsOf(
  { snapshot, participantIndex }: ChartSubject,
  plan: Plan,
  signal: AbortSignal,
): Promise<Selection> {
  return ofParticipant(await selectPlanned(plan, snapshot, signal), participantIndex)
}

function ofParticipant(tests: Selection, participantIndex: number | null): Selection {
  return participantIndex === null ? tests : pickTests(tests, (i) => tests.participantRows[i] === participantIndex)
}

async function headOf(
  { snapshot, item, participantIndex }: ChartSubject,
  plan: Plan,
  tests: Selection,
  viewers: Viewers | null,
): Promise<ChartHead> {
  const all = await selectTests(snapshot, { itemId: item.id, gradeMin: 1 })
  const kept = keptOf(tests, ofParticipant(all, participantIndex))
  return { export: plan.export, notes: settingsNotes(plan), kept, counted: countedOf(kept, viewers) }
}
