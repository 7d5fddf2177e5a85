import { columnsOf } from '../../exports/columns/columns-of.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { exportOf } from '../../exports/registry.ts'
import { refusedParameter } from '../../model/errors.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { selectPlanned } from '../../run/estimate.ts'
import { countSamples, type Selection, selectTests } from '../../snapshot/selection.ts'
import type { ChartRun } from './answer-chart.ts'
import { runChart } from './run-chart.ts'
import { countedOf, keptOf } from './selection-counts.ts'
import { printTable, type TablePart } from './table-preview.ts'

/**
 * Exports about whole tests, in which tests without gaze count, too. In all others, a test without gaze would look as
 * if nobody had looked.
 */
const TABLES = ['gazes-aois-binned', 'quality-stats'] as const satisfies ExportName[]

const ROWS_MAX = 200_000

/** Returns the names of the columns of a plan's export, in its order. */
export function tableColumns(plan: Plan, snapshot: Snapshot): string[] {
  return columnsOf(exportOf(plan.export), studyFacts(snapshot), plan.parameters).map(({ name }) => name)
}

/**
 * Returns an export's rows with the values of the CSV, or the first of them; only of tests with valid gaze, unless the
 * export measures gaze itself.
 *
 * @param columns by name; null for all
 * @throws ServiceError invalid_param if it would read more than `samplesMax` samples
 */
export async function tableAnswer(
  plan: Plan,
  snapshot: Snapshot,
  { columns, samplesMax }: { columns: string[] | null; samplesMax: number },
  run: ChartRun,
) {
  const { tests, kept } = await selectFew(plan, snapshot, samplesMax, run.signal)
  const ofViewers = !(TABLES as readonly ExportName[]).includes(plan.export)
  const request = { kind: 'table', export: plan.export, rowsMax: ROWS_MAX + 1, columns, ofViewers } as const
  const { part, viewers } = await runChart<TablePart>({ request, plan, snapshot, tests, ...run })
  const rows = printTable(part, plan, snapshot, { columns })
  return {
    export: plan.export,
    notes: settingsNotes(plan),
    kept,
    counted: countedOf(kept, ofViewers ? viewers : null),
    columns: tableColumns(plan, snapshot).filter((name) => columns?.includes(name) ?? true),
    rows: rows.slice(0, ROWS_MAX),
    isWhole: rows.length <= ROWS_MAX,
  }
}

/** Reads all rows of some columns of an export. @throws ServiceError invalid_param for too many rows */
export async function readChartTable(
  plan: Plan,
  snapshot: Snapshot,
  wanted: string[],
  { samplesMax, run }: { samplesMax: number; run: ChartRun },
) {
  const asked = { columns: wanted, samplesMax }
  const { rows, columns, isWhole, ...head } = await tableAnswer(plan, snapshot, asked, run)
  if (!isWhole) {
    const rule = `must keep fewer tests: ${plan.export} has more rows than are described`
    throw refusedParameter({ parameter: 'filter', rule, value: plan.parameters.filter ?? '' })
  }
  const textsOf = (name: string) => rows.map((row) => row[columns.indexOf(name)])
  const numbersOf = (name: string) =>
    Float64Array.from(textsOf(name), (cell) => (cell === '' ? Number.NaN : Number(cell)))
  return { head, textsOf, numbersOf }
}

/**
 * Selects the tests of a plan for an answer at once, and counts what the plan keeps.
 *
 * @throws ServiceError invalid_param for more than `samplesMax` samples
 */
export async function selectFew(plan: Plan, snapshot: Snapshot, samplesMax: number, signal: AbortSignal) {
  const tests = await selectPlanned(plan, snapshot, signal)
  refuseMany(plan, tests, samplesMax, `; the export ${plan.export} has any number`)
  const all = await selectTests(snapshot, { itemId: plan.parameters.itemId ?? null, gradeMin: 1 })
  return { tests, kept: keptOf(tests, all) }
}

/** Refuses to read too many samples while a client waits. @throws ServiceError invalid_param */
export function refuseMany({ parameters }: Plan, tests: Selection, samplesMax: number, advice = ''): void {
  const samples = countSamples(tests)
  if (samples <= samplesMax) return
  const rule = `must name an item, or the filter keep fewer tests: these have ${samples} samples, and at most ${samplesMax} are measured for a page${advice}`
  throw refusedParameter({ parameter: 'itemId', rule, value: parameters.itemId ?? '' })
}
