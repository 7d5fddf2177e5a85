import { settingsNotes } from '../exports/notes.ts'
import { estimatePlan } from '../formats/run.ts'
import type { Plan } from '../plan.ts'
import { findExport } from '../registry.ts'
import { type Kept, keptOf, selectTests, testsOfItem } from '../select.ts'
import type { Snapshot } from '../study.ts'
import { numbersOf, type Rows } from '../table.ts'
import type { ChartRun } from './answer.ts'
import { readExport } from './run.ts'

/** A look at an export before it is asked for, in whichever format. `rows` are null where they would take as long as the export itself. */
export type Preview = {
  export: Plan['export']
  notes: string
  estimate: { samples: number; bytes: number }
  kept: Kept
  columns: string[]
  rows: string[][] | null
  /** Cells longer than CELL_MAX end in an ellipsis. */
  cellMax: number
}

const ROWS = 10
const CELL_MAX = 240
/** The samples that the first look takes, and how many times more each further one. */
const FIRST_SAMPLES = 20_000
const GROWTH = 8

/**
 * The file's first rows, computed from its first tests; exports whose rows span tests need them all.
 *
 * @param samplesMax the most samples that a look may cost
 */
export async function previewExport(
  plan: Plan,
  snapshot: Snapshot,
  samplesMax: number,
  run: ChartRun,
): Promise<Preview> {
  const entry = findExport(plan.export)!
  const tests = selectTests(plan, snapshot)
  const estimate = estimatePlan(plan, snapshot)
  const kept = keptOf(tests, testsOfItem(snapshot, plan.parameters.itemId ?? null), snapshot)
  const head = { export: plan.export, notes: settingsNotes(plan), estimate, kept, cellMax: CELL_MAX }
  const columns = entry.columns.map(({ name }) => name)
  if (entry.kind === 'sums') {
    if (estimate.samples > samplesMax) return { ...head, columns, rows: null }
    return { ...head, columns, rows: await firstRows(plan, snapshot, tests, run) }
  }
  for (let samples = FIRST_SAMPLES; ; samples *= GROWTH) {
    const some = firstTests(tests, snapshot, samples)
    const rows = await firstRows(plan, snapshot, some, run)
    if (rows.length === ROWS || some.length === tests.length || samples > samplesMax) return { ...head, columns, rows }
  }
}

/** At least one. */
function firstTests(tests: Rows, { tables }: Snapshot, samples: number): Rows {
  const sampleCounts = numbersOf(tables.tests, 'sampleCount')
  let left = samples
  const beyond = tests.findIndex((row, i) => {
    left -= sampleCounts[row] + 1
    return left < 0 && i > 0
  })
  return beyond < 0 ? tests : tests.slice(0, beyond)
}

async function firstRows(plan: Plan, snapshot: Snapshot, tests: Rows, run: ChartRun): Promise<string[][]> {
  const [, ...rows] = await readExport({ plan, snapshot, tests, ...run })
  return rows
    .slice(0, ROWS)
    .map((row) => row.map((cell) => (cell.length > CELL_MAX ? `${cell.slice(0, CELL_MAX)}…` : cell)))
}
