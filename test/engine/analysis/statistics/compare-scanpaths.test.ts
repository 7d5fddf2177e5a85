import { expect, test } from 'vitest'
import { compareScanpaths } from '../../../../engine/analysis/statistics/compare-scanpaths.ts'
import type { Scanpath } from '../../../../engine/compute/scanpath.ts'

const SQUARE = Math.SQRT2

function scanpath(letters: string, points: [x: number, y: number, durationMs: number][] = []): Scanpath {
  const n = Math.max(letters.length, points.length)
  const of = (place: 0 | 1 | 2) => Float64Array.from({ length: n }, (_, i) => points[i]?.[place] ?? 0)
  const place = Int32Array.from({ length: n }, (_, i) => letters.charCodeAt(i) || 0)
  return { n, place, x: of(0), y: of(1), durationMs: of(2) }
}
const strings = (a: string, b: string) => {
  const { levenshtein, needlemanWunsch } = compareScanpaths(scanpath(a), scanpath(b), SQUARE)
  return [levenshtein, needlemanWunsch]
}

test('MultiMatch pairs saccades along the second scanpath where they differ least', () => {
  const line = (...xs: number[]) =>
    scanpath(
      '',
      xs.map((x) => [x, 0, 100]),
    )
  // Saccades of 0.1 and 0.3, and of 0.2, 0.3 and 0.3: paired 1-1, 2-2 and 2-3, they differ by 0.1, 0 and 0.
  const { vector } = compareScanpaths(line(0, 0.1, 0.4), line(0, 0.2, 0.5, 0.8), 1).multiMatch!
  expect(vector).toBeCloseTo(1, 12)
})

test('AOI strings have the distances and scores of published examples', () => {
  // Replace k by s and e by i, and add g: four match, two do not, and there is a gap.
  expect(strings('kitten', 'sitting')).toEqual([3, 1])
  expect(strings('saturday', 'sunday')[0]).toBe(3)
  // The example of Needleman and Wunsch's algorithm with 1, −1 and −1.
  expect(strings('GCATGCG', 'GATTACA')[1]).toBe(0)
})

test('equal strings, and empty ones', () => {
  expect(strings('ABC', 'ABC')).toEqual([0, 3])
  expect(strings('', '')).toEqual([0, 0])
  expect(strings('', 'AB')).toEqual([2, -2])
  expect(compareScanpaths(scanpath('AB'), scanpath('ABC'), SQUARE).multiMatch).toBeNull()
})

test('a scanpath is as similar to itself as can be', () => {
  const own = scanpath('', [
    [0, 0, 100],
    [0.5, 0, 200],
    [0.5, 0.5, 300],
  ])
  expect(compareScanpaths(own, own, SQUARE).multiMatch).toEqual({
    vector: 1,
    direction: 1,
    length: 1,
    position: 1,
    duration: 1,
  })
})

test('MultiMatch compares shape, direction, length, position and duration', () => {
  const right = scanpath('', [
    [0, 0, 100],
    [0.4, 0, 100],
    [0.8, 0, 100],
  ])
  const down = scanpath('', [
    [0, 0, 200],
    [0, 0.3, 200],
    [0, 0.6, 200],
  ])
  // Every pair: vectors (0.4, 0) and (0, 0.3) are 0.5 apart, at a right angle, and their lengths 0.1.
  const { vector, direction, length, position, duration } = compareScanpaths(right, down, 1).multiMatch!
  expect([vector, direction, length, duration]).toEqual([0.75, 0.5, expect.closeTo(0.9, 12), 0.5])
  // Positions of the two pairs: 0, and (0.4, 0) from (0, 0.3).
  expect(position).toBeCloseTo(0.75, 12)
})
