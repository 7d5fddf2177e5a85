import { expect, test } from 'vitest'
import { smooth } from '../../server/dashboard/charts/kernel.ts'

const COLUMNS = 41
const ROWS = 31

function grid(points: [column: number, row: number, weight: number][]): number[] {
  const weights = new Array(COLUMNS * ROWS).fill(0)
  for (const [column, row, weight] of points) weights[row * COLUMNS + column] += weight
  return weights
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)

test('a kernel within the grid loses nothing', () => {
  expect(sum(smooth(grid([[20, 15, 7]]), COLUMNS, ROWS, 2))).toBeCloseTo(7, 10)
})

test('a kernel falls off as a Gaussian of its sigma, the same across and down', () => {
  const sigma = 3
  const values = smooth(grid([[20, 15, 1]]), COLUMNS, ROWS, sigma)
  const at = (column: number, row: number) => values[row * COLUMNS + column]
  for (const distance of [1, 2, 5]) {
    const expected = Math.exp(-(distance ** 2) / (2 * sigma ** 2))
    for (const [column, row] of [
      [20 + distance, 15],
      [20 - distance, 15],
      [20, 15 + distance],
      [20, 15 - distance],
    ])
      expect(at(column, row) / at(20, 15)).toBeCloseTo(expected, 10)
  }
})

test('kernels of several cells add up, and what lies beyond the edge is lost', () => {
  const one = smooth(grid([[0, 0, 2]]), COLUMNS, ROWS, 2)
  const other = smooth(grid([[3, 1, 5]]), COLUMNS, ROWS, 2)
  const both = smooth(
    grid([
      [0, 0, 2],
      [3, 1, 5],
    ]),
    COLUMNS,
    ROWS,
    2,
  )
  for (let i = 0; i < both.length; i++) expect(both[i]).toBeCloseTo(one[i] + other[i], 12)
  expect(sum(one)).toBeLessThan(1)
})
