import { columnsOf } from '../../exports/columns/columns-of.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { exportOf } from '../../exports/registry.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { estimatePlan, selectPlanned } from '../../run/estimate.ts'
import { firstTests, type Selection, selectTests } from '../../snapshot/selection.ts'
import type { ChartRun } from './answer-chart.ts'
import type { ChartRequest } from './chart.ts'
import { runChart } from './run-chart.ts'
import { type KeptTests, keptOf } from './selection-counts.ts'
import { printTable, type TablePart } from './table-preview.ts'

/** Preview of an export. `rows` is null if computing them would take as long as the export. */
type Preview = {
  export: Plan['export']
  notes: string
  estimate: { samples: number; bytes: number }
  kept: KeptTests
  columns: string[]
  rows: string[][] | null
  /** Cells longer than CELL_MAX are truncated with an ellipsis. */
  cellMax: number
}

const ROWS = 10
const CELL_MAX = 240
/** Number of samples of the first attempt, and the factor for each further one. */
const FIRST_SAMPLES = 20_000
const GROWTH = 8

/**
 * Returns the first rows of a file, computed from its first tests. Exports whose rows span tests need all tests.
 *
 * @param samplesMax largest number of samples that an attempt may read
 */
export async function previewExport(
  plan: Plan,
  snapshot: Snapshot,
  samplesMax: number,
  run: ChartRun,
): Promise<Preview> {
  const entry = exportOf(plan.export)
  const tests = await selectPlanned(plan, snapshot, run.signal)
  const all = await selectTests(snapshot, { itemId: plan.parameters.itemId ?? null, gradeMin: 1 })
  const estimate = await estimatePlan(plan, snapshot, run.signal)
  const columns = columnsOf(entry, studyFacts(snapshot), plan.parameters).map(({ name }) => name)
  const head = {
    export: plan.export,
    notes: settingsNotes(plan),
    estimate,
    kept: keptOf(tests, all),
    cellMax: CELL_MAX,
    columns,
  }
  if (entry.kind === 'sums') {
    if (estimate.samples > samplesMax) return { ...head, rows: null }
    return { ...head, rows: await rowsOf(plan, snapshot, tests, run) }
  }
  for (let samples = FIRST_SAMPLES; ; samples *= GROWTH) {
    const some = firstTests(tests, samples)
    const rows = await rowsOf(plan, snapshot, some, run)
    if (rows.length === ROWS || some.n === tests.n || samples > samplesMax) return { ...head, rows }
  }
}

async function rowsOf(plan: Plan, snapshot: Snapshot, tests: Selection, run: ChartRun): Promise<string[][]> {
  const request: ChartRequest = { kind: 'table', export: plan.export, rowsMax: ROWS, columns: null, ofViewers: false }
  const { part } = await runChart<TablePart>({ request, plan, snapshot, tests, ...run })
  return printTable(part, plan, snapshot, { cellMax: CELL_MAX }).slice(0, ROWS)
}
