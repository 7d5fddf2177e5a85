import { columnsOf } from '../../exports/columns/columns-of.ts'
import type { Sums } from '../../exports/columns/export-entry.ts'
import { settingsNotes, withNotes } from '../../exports/columns/notes.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { rowsOfTests } from '../../exports/columns/test-rows.ts'
import { exportOf } from '../../exports/registry.ts'
import { firstRows, printedRow } from '../../formats/printed.ts'
import type { Column, Rows } from '../../model/columns.ts'
import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import type { Chart, ChartRequest } from './chart.ts'
import { GAZE_COLUMNS } from './viewers.ts'

/** An export's first rows as columns; if rows span tests, the partial sums of all rows. */
export type TablePart = { rows: Rows[]; n: number; sums: Sums[] }

type TableRequest = Extract<ChartRequest, { kind: 'table' }>

/**
 * Returns the chart that computes the first rows of an export, at most `rowsMax`; rows that span tests have no limit.
 * Only the requested columns cross threads.
 */
export function tableChart({ export: name, rowsMax, columns, ofViewers }: TableRequest): Chart<TablePart> {
  const entry = exportOf(name)
  return {
    export: name,
    reads: ofViewers ? [...new Set([...entry.reads, ...GAZE_COLUMNS])] : entry.reads,
    ofViewers,
    needsValidations: entry.needsValidations,
    needsEvents: entry.needsEvents,
    start: () => ({ rows: [], n: 0, sums: [] }),
    addTest: (part, run, context) => {
      if (entry.kind === 'sums') {
        if (part.sums.length === 0) part.sums.push(new Map())
        entry.addTest(run, context, part.sums[0])
        return
      }
      if (part.n >= rowsMax) return
      const all = columnsOf(entry, context.facts, context.plan.parameters)
      for (const rows of rowsOfTests(entry, context)(run)) {
        addRows(part, firstRows(pick(rows, all, columns), rowsMax - part.n))
        if (part.n >= rowsMax) return
      }
    },
    merge: (total, part) => {
      total.sums.push(...part.sums)
      for (const rows of part.rows) if (total.n < rowsMax) addRows(total, firstRows(rows, rowsMax - total.n))
    },
  }
}

function addRows(part: TablePart, rows: Rows): void {
  part.rows.push(rows)
  part.n += rows.n
}

/** Keeps the requested columns of rows. @param all columns of the rows @param wanted by name; null for all */
function pick(rows: Rows, all: Column[], wanted: string[] | null): Rows {
  if (wanted === null) return rows
  return { n: rows.n, cells: rows.cells.filter((_, c) => wanted.includes(all[c].name)) }
}

/**
 * Formats the cells of a table as in a CSV, each truncated to `cellMax` characters.
 *
 * @param columns of the chart, by name; null for all
 */
export function printTable(
  part: TablePart,
  plan: Plan,
  snapshot: Snapshot,
  { columns: wanted = null, cellMax = Number.POSITIVE_INFINITY }: { columns?: string[] | null; cellMax?: number } = {},
): string[][] {
  const entry = exportOf(plan.export)
  const facts = studyFacts(snapshot)
  const every = columnsOf(entry, facts, plan.parameters)
  const columns = every.filter(({ name }) => wanted?.includes(name) ?? true)
  const all =
    entry.kind === 'sums'
      ? Array.from(entry.combine(snapshot.study, plan, part.sums, facts), (rows) => pick(rows, every, wanted))
      : part.rows
  const hasNotes = columns.some(({ name }) => name === 'notes')
  return all.flatMap((rows, r) => {
    const noted = r === 0 && hasNotes ? withNotes(rows, columns, settingsNotes(plan)) : rows
    return Array.from({ length: rows.n }, (_, i) => printedRow(noted, i, columns, plan.formulaGuard, cellMax))
  })
}
