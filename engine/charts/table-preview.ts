import { columnsOf, rowsWithParticipant } from '../exports/columns-of.ts'
import type { Sums } from '../exports/export-entry.ts'
import { settingsNotes, withNotes } from '../exports/notes.ts'
import { exportOf } from '../exports/registry.ts'
import { studyFacts } from '../exports/study-facts.ts'
import { firstRows, printedRow } from '../formats/printed.ts'
import type { Rows } from '../model/columns.ts'
import type { ExportName } from '../model/export-names.ts'
import type { Plan } from '../model/plan.ts'
import type { Snapshot } from '../model/study.ts'
import type { Chart } from './chart.ts'

/** An export's first rows as columns, or what adds up to all of them where they span tests. */
export type TablePart = { rows: Rows[]; n: number; sums: Sums[] }

/**
 * Returns the chart that computes the first rows of an export.
 *
 * @param rowsMax beyond it rows are left out; those that span tests have no limit
 */
export function tableChart(name: ExportName, rowsMax: number): Chart<TablePart> {
  const entry = exportOf(name)
  return {
    export: name,
    reads: entry.reads,
    needsValidations: entry.needsValidations,
    start: () => ({ rows: [], n: 0, sums: [] }),
    addTest: (part, run, context) => {
      if (entry.kind === 'sums') {
        if (part.sums.length === 0) part.sums.push(new Map())
        entry.addTest(run, context, part.sums[0])
        return
      }
      const made = part.n < rowsMax ? entry.compute(run, context) : null
      if (made !== null && made.n > 0)
        addRows(part, firstRows(rowsWithParticipant(entry, context.facts)(made, run.identity), rowsMax - part.n))
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

/**
 * Formats the cells of a table as a CSV prints them, each at most `cellMax` characters long.
 *
 * @param isWanted of a column's name; all without it
 */
export function printTable(
  part: TablePart,
  plan: Plan,
  snapshot: Snapshot,
  cellMax = Number.POSITIVE_INFINITY,
  isWanted: (name: string) => boolean = () => true,
): string[][] {
  const entry = exportOf(plan.export)
  const columns = columnsOf(entry, studyFacts(snapshot))
  const wanted = columns.filter(({ name }) => isWanted(name))
  const all = entry.kind === 'sums' ? entry.combine(snapshot.study, plan, part.sums) : part.rows
  return all.flatMap((rows, r) => {
    const noted = r === 0 ? withNotes(rows, columns, settingsNotes(plan)) : rows
    const picked = { n: rows.n, cells: noted.cells.filter((_, c) => isWanted(columns[c].name)) }
    return Array.from({ length: rows.n }, (_, i) => printedRow(picked, i, wanted, plan.formulaGuard, cellMax))
  })
}
