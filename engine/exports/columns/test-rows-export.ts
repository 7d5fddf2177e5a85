import type { ExportEntry } from './export-entry.ts'
import { type FixedColumn, identityCells, type TestIdentity } from './identity.ts'
import { NO_NOTES, NOTES } from './notes.ts'

type RowsEntry = ExportEntry & { kind: 'rows' }
type Own = Omit<RowsEntry, 'variant' | 'kind'> & Partial<Pick<RowsEntry, 'variant'>>

/**
 * Returns an export with rows for each test, which begin with columns that identify the test and end with notes.
 *
 * @param columns those between both; `compute` returns their cells
 */
export function exportOfTests(identity: FixedColumn<TestIdentity>[], own: Own): ExportEntry {
  return {
    variant: null,
    kind: 'rows',
    ...own,
    columns: [...identity, ...own.columns, NOTES],
    compute: (run, context) => {
      const rows = own.compute(run, context)
      return rows && { n: rows.n, cells: [...identityCells(identity, run.identity), ...rows.cells, NO_NOTES] }
    },
  }
}
