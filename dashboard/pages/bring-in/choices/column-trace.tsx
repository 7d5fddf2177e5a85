import { type PreviewTable, readerOf } from './sample-points.ts'

const [WIDTH, HEIGHT] = [90, 18]

/** Draws the numbers of a column from row to row, so that gaze, clocks and constants can be told apart. */
export function ColumnTrace({ table, column }: { table: PreviewTable; column: number }) {
  const path = tracePath(table, column)
  if (path === '') return null
  return (
    <svg class="column-trace" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

/** Returns the path of a column's numbers, with gaps where there are none; '' for fewer than two different ones. */
export function tracePath(table: PreviewTable, column: number): string {
  const { number } = readerOf(table)
  const values = table.rows.map((row) => number(row, column))
  const finite = values.filter(Number.isFinite)
  const [low, high] = [Math.min(...finite), Math.max(...finite)]
  if (!(high > low)) return ''
  const x = (i: number) => ((i / (values.length - 1)) * WIDTH).toFixed(1)
  const y = (value: number) => (1 + (1 - (value - low) / (high - low)) * (HEIGHT - 2)).toFixed(1)
  return values
    .map((value, i) =>
      Number.isFinite(value) ? `${i === 0 || !Number.isFinite(values[i - 1]) ? 'M' : 'L'}${x(i)} ${y(value)}` : '',
    )
    .join('')
}
