import { array, assert, boolean, constantFrom, integer, oneof, option, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { type AoiShape, aoiClicks, aoiFixations, aoiGazes, aoiPartShape, isInAoi } from '../../../engine/compute/aoi.ts'
import { aoisAt, clicksByAoi, createAoiGrid, fixationsByAoi, gazesByAoi } from '../../../engine/compute/aoi-grid.ts'
import { createFixations, detectFixations } from '../../../engine/compute/fixations.ts'
import { createGaze, denoise } from '../../../engine/compute/gaze.ts'
import { samplesOf } from './vectors.ts'

/** Round percents, so that points fall on borders and corners, and odd ones. */
const percent = oneof(
  integer({ min: -4, max: 14 }).map((tenths) => tenths * 10),
  integer({ min: -40_000_000, max: 140_000_000 }).map((millionths) => millionths / 1e6),
)
const point = record({ x: percent, y: percent })
const range = option(
  record({ fromUs: integer({ min: 0, max: 500_000 }), lengthUs: integer({ min: 1, max: 800_000 }) }).map(
    ({ fromUs, lengthUs }) => ({ fromUs, toUs: fromUs + lengthUs }),
  ),
  { nil: null },
)
const rectangle = record({ corner: point, size: point, range }).map(({ corner, size, range: r }) =>
  aoiPartShape(false, [corner.x, corner.x + Math.abs(size.x) + 1], [corner.y, corner.y + Math.abs(size.y) + 1], r),
)
const polygon = record({ points: array(point, { minLength: 3, maxLength: 12 }), range }).map(({ points, range: r }) =>
  aoiPartShape(
    true,
    points.map(({ x }) => x),
    points.map(({ y }) => y),
    r,
  ),
)
const aoi = array(oneof(rectangle, polygon), { minLength: 1, maxLength: 3 }).map((parts): AoiShape => ({ parts }))
const aois = array(aoi, { minLength: 1, maxLength: 6 })

test('the AOIs of a point are those that hold it, in order', () => {
  const places = array(record({ at: point, tUs: integer({ min: 0, max: 1_000_000 }) }), { minLength: 1, maxLength: 60 })
  assert(
    property(aois, places, (shapes, points) => {
      const grid = createAoiGrid(shapes)
      for (const { at, tUs } of points) {
        const [x, y] = [Math.round(at.x * 1e6), Math.round(at.y * 1e6)]
        const hits = Array.from(grid.hits.subarray(0, aoisAt(grid, x, y, tUs)))
        expect(hits).toEqual(shapes.flatMap((shape, i) => (isInAoi(shape, x, y, tUs) ? [i] : [])))
      }
    }),
    { numRuns: 500 },
  )
})

test('points on and beside every border of a cell, too', () => {
  assert(
    property(aois, integer({ min: 0, max: 64 }), integer({ min: 0, max: 64 }), (shapes, column, row) => {
      const grid = createAoiGrid(shapes)
      const x = Math.round(grid.minX + ((grid.maxX - grid.minX) * column) / 64)
      const y = Math.round(grid.minY + ((grid.maxY - grid.minY) * row) / 64)
      for (const dx of [-1, 0, 1]) {
        for (const dy of [-1, 0, 1]) {
          const hits = Array.from(grid.hits.subarray(0, aoisAt(grid, x + dx, y + dy, 0)))
          expect(hits).toEqual(shapes.flatMap((shape, i) => (isInAoi(shape, x + dx, y + dy, 0) ? [i] : [])))
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('gazes, fixations and clicks of all AOIs are those of each alone', () => {
  const display = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }
  const rows = array(
    record({
      x: integer({ min: -50, max: 1050 }),
      stay: integer({ min: 1, max: 30 }),
      isLost: constantFrom(false, false, true),
    }),
    { maxLength: 12 },
  )
  const settings = {
    gazeVelocityThreshold: 150,
    minFixationDurationMs: 60,
    maxFixationDurationMs: 400,
    saccadeMaxDurationMs: 150,
  }
  const gaze = createGaze()
  const fixations = createFixations()
  assert(
    property(aois, rows, boolean(), (shapes, looks, isLate) => {
      const at = looks.flatMap(({ x, stay, isLost }) => Array(stay).fill(isLost ? null : x))
      const samples = samplesOf(
        at.map((x, i) => [(isLate ? i : at.length - i) * 16, x, x === null ? null : 1000 - x, 0]),
      )
      for (let i = 0; i < samples.n; i += 3) {
        samples.isClick[i] = 1
        samples.mouseXPx[i] = i * 7
        samples.mouseYPx[i] = i % 2 === 0 ? 500 : Number.NaN
      }
      denoise(samples, display, 60, gaze)
      detectFixations(gaze, display, settings, fixations)
      const grid = createAoiGrid(shapes)
      expect(gazesByAoi(grid, gaze)).toEqual(shapes.map((shape) => aoiGazes(shape, gaze)))
      expect(fixationsByAoi(grid, fixations)).toEqual(shapes.map((shape) => aoiFixations(shape, fixations)))
      expect(clicksByAoi(grid, samples, display)).toEqual(shapes.map((shape) => aoiClicks(shape, samples, display)))
    }),
    { numRuns: 300 },
  )
})
