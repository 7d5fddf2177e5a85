import { expect, test } from 'vitest'
import { csvEncoder } from '../../../engine/formats/csv.ts'
import { type Column, column } from '../../../engine/model/columns.ts'
import { createSink } from '../../../engine/text/sink.ts'

const COLUMNS: Column[] = [
  column('x', 'number', '', 'A number', ''),
  column('list', 'json', '', 'The same number in a list', null, {
    nested: [{ name: 'x', type: 'number', unit: '', meaning: 'The number' }],
  }),
]

/** The cells of one row: a number by itself, and in a tuple. */
function written(value: number): string {
  let text = ''
  const sink = createSink((finished) => {
    text += Buffer.from(finished).toString()
  })
  const encoder = csvEncoder({ columns: COLUMNS, formulaGuard: true, sink, dictionaries: {} })
  const values = Float64Array.of(value)
  const tuples = { kind: 'tuples' as const, ends: Int32Array.of(1), fields: [{ kind: 'fractions' as const, values }] }
  encoder.write({ n: 1, cells: [{ kind: 'fractions', values }, tuples] })
  encoder.end()
  return text
}

// A displayed item of a thousandth of a pixel makes such percents.
test.each([
  [12.3456789, '12.345679,"[[12.345679]]"\n'],
  [-0, '0,"[[0]]"\n'],
  [
    1e12 + 1 / 8192,
    `${BigInt(1e18 + 128)
      .toString()
      .replace(/(\d{6})$/, '.$1')},"[[${(1e18 + 128) / 1e6}]]"\n`,
  ],
  [1e22, '9999999999999999583119.736832,"[[1e+22]]"\n'],
])('%d is printed with six decimals in a column, and in a JSON cell as JSON.stringify prints it', (value, row) => {
  expect(written(value)).toBe(row)
})
