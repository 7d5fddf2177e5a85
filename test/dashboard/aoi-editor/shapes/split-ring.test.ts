import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { XY } from '../../../../dashboard/pages/aoi-editor/shapes/parts.ts'
import { splitRing } from '../../../../dashboard/pages/aoi-editor/shapes/split-ring.ts'

const SQUARE: XY[] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
]

const areaOf = (ring: XY[]) => {
  const doubled = ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length]
    return sum + x * nextY - nextX * y
  }, 0)
  return Math.abs(doubled) / 2
}

test('a square is cut into its halves, the one left of the line first', () => {
  const [left, right] = splitRing(SQUARE, [0.25, 1], [0.25, 0])!
  expect(left.map(areaOf)).toEqual([0.25])
  expect(right.map(areaOf)).toEqual([0.75])
  expect(Math.max(...left[0].map(([x]) => x))).toBe(0.25)
})

test('a comb is cut into its back and its teeth', () => {
  const comb: XY[] = [
    [0, 0],
    [5, 0],
    [5, 2],
    [4, 2],
    [4, 1],
    [3, 1],
    [3, 2],
    [2, 2],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ]
  const [above, below] = splitRing(comb, [0, 1.5], [5, 1.5])!
  expect(above.map(areaOf)).toEqual([5 + 1.5])
  expect(below.map(areaOf)).toEqual([0.5, 0.5, 0.5])
})

test('a line beside a polygon leaves it whole, and one that crosses itself there is refused', () => {
  expect(splitRing(SQUARE, [2, 0], [2, 1])).toEqual([[], [SQUARE]])
  const turn = (degrees: number): XY => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  // Twice around, so that the line leaves it twice in the same direction.
  const twice = [0, 72, 144, 216, 288, 10, 82, 154, 226, 298].map(turn)
  expect(splitRing(twice, [-2, 0.3], [2, 0.3])).toBeNull()
})

test('the pieces of any star have together the area of the whole', () => {
  const share = fc.double({ min: 0.1, max: 1, noNaN: true })
  const point = fc.tuple(
    fc.double({ min: -0.5, max: 0.5, noNaN: true }),
    fc.double({ min: -0.5, max: 0.5, noNaN: true }),
  )
  fc.assert(
    fc.property(fc.array(share, { minLength: 3, maxLength: 12 }), point, point, (radii, from, to) => {
      fc.pre(Math.hypot(from[0] - to[0], from[1] - to[1]) > 0.01)
      const ring = radii.map((radius, i): XY => {
        const angle = (2 * Math.PI * i) / radii.length
        return [radius * Math.cos(angle), radius * Math.sin(angle)]
      })
      const pieces = splitRing(ring, from, to)!.flat()
      expect(pieces.reduce((sum, piece) => sum + areaOf(piece), 0)).toBeCloseTo(areaOf(ring), 6)
    }),
    { numRuns: 200 },
  )
})
