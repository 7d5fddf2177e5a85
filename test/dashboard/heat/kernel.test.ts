import { expect, test } from 'vitest'
import { sigmaOf, smooth } from '../../../dashboard/core/heat/kernel.ts'

const COLUMNS = 41
const ROWS = 31

function grid(points: [column: number, row: number, weight: number][]): number[] {
  const weights = new Array(COLUMNS * ROWS).fill(0)
  for (const [column, row, weight] of points) weights[row * COLUMNS + column] += weight
  return weights
}

const both = (sigma: number) => ({ across: sigma, down: sigma })
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)

test('a kernel within the grid loses nothing', () => {
  expect(sum(smooth(grid([[20, 15, 7]]), COLUMNS, ROWS, both(2)))).toBeCloseTo(7, 10)
})

test('a kernel falls off as a Gaussian of its sigma, the same across and down', () => {
  const sigma = 3
  const values = smooth(grid([[20, 15, 1]]), COLUMNS, ROWS, both(sigma))
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
  const one = smooth(grid([[0, 0, 2]]), COLUMNS, ROWS, both(2))
  const other = smooth(grid([[3, 1, 5]]), COLUMNS, ROWS, both(2))
  const together = smooth(
    grid([
      [0, 0, 2],
      [3, 1, 5],
    ]),
    COLUMNS,
    ROWS,
    both(2),
  )
  for (let i = 0; i < together.length; i++) expect(together[i]).toBeCloseTo(one[i] + other[i], 12)
  expect(sum(one)).toBeLessThan(1)
})

test('sigma is one length on the item, a percent of its mean side, on a tall page as on a wide one', () => {
  const shapes = [
    { widthPx: 1600, heightPx: 900, columns: 213, rows: 120 },
    { widthPx: 900, heightPx: 9000, columns: 51, rows: 506 },
    { widthPx: 1000, heightPx: 1000, columns: 160, rows: 160 },
  ]
  for (const shape of shapes) {
    const { across, down, px } = sigmaOf(shape, 2.5)
    expect(px).toBeCloseTo(0.025 * Math.sqrt(shape.widthPx * shape.heightPx), 6)
    expect((across * shape.widthPx) / shape.columns).toBeCloseTo(px, 6)
    expect((down * shape.heightPx) / shape.rows).toBeCloseTo(px, 6)
    // At least as wide as the cells: narrower, and a spot would be a cross.
    expect(Math.min(across, down)).toBeGreaterThan(3.9)
  }
})

test('a kernel on cells that are not square is round on the item', () => {
  const values = smooth(grid([[20, 15, 1]]), COLUMNS, ROWS, { across: 4, down: 2 })
  const at = (column: number, row: number) => values[row * COLUMNS + column]
  expect(at(24, 15)).toBeCloseTo(at(20, 17), 4)
})
