import { type PreviewTable, readerOf } from './sample-points.ts'

/** Size of a trace, in px. */
export const [TRACE_WIDTH, TRACE_HEIGHT] = [90, 18]

/** Returns the path of a column's numbers, with gaps where there are none; '' for fewer than two different ones. */
export function tracePath(table: PreviewTable, column: number): string {
  const { number } = readerOf(table)
  const values = table.rows.map((row) => number(row, column))
  const finite = values.filter(Number.isFinite)
  const [low, high] = [Math.min(...finite), Math.max(...finite)]
  if (!(high > low)) return ''
  const x = (i: number) => ((i / (values.length - 1)) * TRACE_WIDTH).toFixed(1)
  const y = (value: number) => (1 + (1 - (value - low) / (high - low)) * (TRACE_HEIGHT - 2)).toFixed(1)
  return values
    .map((value, i) =>
      Number.isFinite(value) ? `${i === 0 || !Number.isFinite(values[i - 1]) ? 'M' : 'L'}${x(i)} ${y(value)}` : '',
    )
    .join('')
}
