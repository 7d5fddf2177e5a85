import type { PreviewTable } from './sample-points.ts'
import { TRACE_HEIGHT, TRACE_WIDTH, tracePath } from './trace-path.ts'

/** Draws the numbers of a column from row to row, so that gaze, clocks and constants can be told apart. */
export function ColumnTrace({ table, column }: { table: PreviewTable; column: number }) {
  const path = tracePath(table, column)
  if (path === '') return null
  return (
    <svg class="column-trace" viewBox={`0 0 ${TRACE_WIDTH} ${TRACE_HEIGHT}`} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
