import { array, assert, boolean, constantFrom, double, integer, oneof, property, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { encode } from '../../../engine/csv/cells.ts'
import { NUMBER_BYTES, putBoolean, putFraction, putMilliseconds } from '../../../engine/csv/numbers.ts'
import { blockForPoints, type PointCells, putPointRows } from '../../../engine/csv/point-rows.ts'
import { POINT_ROWS_WASM } from '../../../engine/csv/point-rows-wasm.ts'
import { BLOCK_BYTES, createSink } from '../../../engine/csv/sink.ts'
import { buildKernel } from '../../../scripts/build-wasm.mjs'

test('the kernel is what its source says', async () => {
  expect(POINT_ROWS_WASM).toBe(await buildKernel('csv/point-rows'))
})

/** One row, each number as numbers.ts writes it. */
function rowOf(cells: string, { xPercent, yPercent, tUs, isInterpolated }: PointCells, i: number): string {
  const number = (put: (bytes: Uint8Array, at: number) => number) => {
    const bytes = new Uint8Array(2 * NUMBER_BYTES)
    return Buffer.from(bytes.subarray(0, put(bytes, 0))).toString()
  }
  const x = number((bytes, at) => putFraction(bytes, at, xPercent[i]))
  const y = number((bytes, at) => putFraction(bytes, at, yPercent[i]))
  const ms = number((bytes, at) => putMilliseconds(bytes, at, tUs[i]))
  return `${cells}${x},${y},${ms},${number((bytes, at) => putBoolean(bytes, at, isInterpolated[i] === 1))},\n`
}

/** The rows that the kernel writes of points, in a block that is filled up to `length` before; and where it stopped. */
function written(
  cells: string,
  points: PointCells,
  from = 0,
  length = 0,
): { text: string; next: number; rows: number } {
  const sink = createSink({ block: blockForPoints(), take: () => {} })
  sink.length = length
  const next = putPointRows(sink, encode(cells), points, from)
  expect(sink.length).toBeLessThanOrEqual(BLOCK_BYTES)
  return { text: Buffer.from(sink.bytes.subarray(length, sink.length)).toString(), next, rows: sink.rows }
}

function pointsOf(rows: [number, number, number, boolean][]): PointCells {
  return {
    n: rows.length,
    xPercent: Float64Array.from(rows, ([x]) => x),
    yPercent: Float64Array.from(rows, ([, y]) => y),
    tUs: Float64Array.from(rows, ([, , t]) => t),
    isInterpolated: Uint8Array.from(rows, ([, , , is]) => (is ? 1 : 0)),
  }
}

const BORDERS = [
  0, -0, 5e-7, -5e-7, 4.9999999e-7, -4e-7, 1, 9.999999, 9.9999995, 99.9999995, 100, 999.9999995, 1000, -1000.5,
  2147.483647,
]
/** Up to what fits into 31 bits of millionths: borders, whole thousandths and hundredths, any. */
const percent = oneof(
  constantFrom(...BORDERS),
  integer({ min: -2_147_483, max: 2_147_483 }).map((n) => n / 1000),
  integer({ min: -20_000, max: 20_000 }).map((n) => n / 100),
  double({ min: -2147.4, max: 2147.4, noNaN: true }),
  double({ min: -1e-5, max: 1e-5, noNaN: true }),
)
const us = oneof(
  integer({ min: 0, max: 2_000_000_000 }),
  constantFrom(0, 499, 500, 999_499, 999_500, 1_000_000, 2_147_483_647_499),
)

test('rows are those that numbers.ts would write, of any cells', () => {
  assert(
    property(
      string({ unit: 'binary', maxLength: 60 }),
      array(tuple(percent, percent, us, boolean()), { maxLength: 40 }),
      (text, rows) => {
        const points = pointsOf(rows)
        const { text: csv, next, rows: count } = written(`${text},`, points)
        expect(next).toBe(rows.length)
        expect(count).toBe(rows.length)
        expect(csv).toBe(rows.map((_, i) => rowOf(`${text},`, points, i)).join(''))
      },
    ),
    { numRuns: 2000 },
  )
})

test('all three digits stand right in each place', () => {
  const points = pointsOf(
    Array.from({ length: 1000 }, (_, i) => [i / 1e6 + i, i / 1000, i * 1_001_001_000, i % 2 === 0]),
  )
  expect(written('c,', points).text).toBe(Array.from({ length: 1000 }, (_, i) => rowOf('c,', points, i)).join(''))
})

test('a number of more than 31 bits, one below zero, or none, is left to others, and what is before it is written', () => {
  const [fine, late]: [number, number, number, boolean][] = [
    [1.5, 2.25, 3000, true],
    [1, 2, 2_147_483_647_500, false],
  ]
  const odd: [number, number, number, boolean][] = [
    late,
    [2147.483648, 0, 0, false],
    [0, -2147.4836476, 0, false],
    [1e300, 0, 0, false],
    [0, Number.NaN, 0, false],
    [Number.POSITIVE_INFINITY, 0, 0, false],
    [0, 0, -501, false],
    [0, 0, Number.NaN, false],
  ]
  for (const row of odd) {
    const points = pointsOf([fine, fine, row, fine])
    const first = written('c,', points)
    expect(first).toEqual({ text: rowOf('c,', points, 0) + rowOf('c,', points, 1), next: 2, rows: 2 })
    expect(written('c,', points, 2)).toEqual({ text: '', next: 2, rows: 0 })
    expect(written('c,', points, 3).next).toBe(4)
  }
})

test('rows stop before the end of the block, wherever it comes, and more of them than are copied at once go on', () => {
  const points = pointsOf(Array.from({ length: 9000 }, (_, i) => [i / 7, -i / 11, i * 16_667, i % 3 === 0]))
  for (const bytes of [0, 1, 15, 16, 17, 190, 4000, 32_000]) {
    const cells = 'z'.repeat(bytes)
    for (const length of [0, 3, BLOCK_BYTES - bytes - 2000, BLOCK_BYTES - bytes - 50, BLOCK_BYTES]) {
      const { text, next, rows } = written(cells, points, 5, length)
      expect(rows).toBe(next - 5)
      expect(text).toBe(Array.from({ length: rows }, (_, i) => rowOf(cells, points, 5 + i)).join(''))
      expect(BLOCK_BYTES - length - text.length < bytes + 400 || next === points.n).toBe(true)
    }
  }
})

test('cells of more bytes than the kernel holds, and another block than its own, are left to others', () => {
  const points = pointsOf([[1, 2, 3000, false]])
  expect(written('z'.repeat(32_001), points)).toEqual({ text: '', next: 0, rows: 0 })
  expect(putPointRows(createSink(), encode('c,'), points, 0)).toBe(0)
})
