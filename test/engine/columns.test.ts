import { array, assert, constantFrom, double, integer, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { columnOf, type Numbers, readerOf } from '../../engine/columns.ts'

function kept(values: (number | null)[]): { array: Numbers; read: unknown[] } {
  const column = columnOf('number', values)
  if (column.kind !== 'number') throw new Error(column.kind)
  return { array: column.values, read: values.map((_, row) => readerOf(column)(row)) }
}

test.each([
  [Uint8Array, [0, 255]],
  [Uint16Array, [0, 256, 65_535]],
  [Int32Array, [0, 65_536, 2 ** 31 - 1]],
  [Int32Array, [-1, 3]],
  [Int32Array, [-(2 ** 31), 0]],
  [Float64Array, [1, 2 ** 31]],
  [Float64Array, [1, -(2 ** 31) - 1]],
  [Float64Array, [0, -0]],
  [Float64Array, [7, null]],
  [Float64Array, [0.5, 1]],
  [Uint8Array, []],
])('numbers lie in the narrowest array that holds them: %o', (kind, values) => {
  expect(kept(values).array).toBeInstanceOf(kind)
  expect(kept(values).read).toEqual(values)
})

test('any numbers are read as they were given, to the sign of zero', () => {
  const number = oneof(
    integer({ min: -2, max: 300 }),
    integer({ min: 65_000, max: 66_000 }),
    integer(),
    double({ noNaN: true }),
    constantFrom(null, 0, -0),
  )
  assert(
    property(array(number), (values) => {
      expect(kept(values).read).toEqual(values)
    }),
    { numRuns: 2000 },
  )
})
