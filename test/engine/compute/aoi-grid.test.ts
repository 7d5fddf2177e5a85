import { array, assert, boolean, constantFrom, integer, nat, oneof, option, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { type AoiPartShape, type AoiShape, aoiPartShape, isInAoi, toMillionths } from '../../../engine/compute/aoi.ts'
import {
  type AoiGrid,
  aoisAt,
  clicksByAoi,
  createAoiGrid,
  fixationsByAoi,
  gazeSets,
  gazesByAoi,
} from '../../../engine/compute/aoi-grid.ts'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze, denoise, type Gaze } from '../../../engine/compute/gaze.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import { aoiClicks, aoiFixations, aoiGazes } from './aoi-by-aoi.ts'
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
/** Many corners whose edges go to and fro. */
const ring = record({ centre: point, radii: array(integer({ min: 0, max: 60 }), { minLength: 3, maxLength: 50 }) }).map(
  ({ centre, radii }) =>
    aoiPartShape(
      true,
      radii.map((radius, k) => centre.x + radius * Math.cos((2 * Math.PI * k) / radii.length)),
      radii.map((radius, k) => centre.y + radius * Math.sin((2 * Math.PI * k) / radii.length)),
      null,
    ),
)
const aoi = array(oneof(rectangle, polygon, ring), { minLength: 1, maxLength: 3 }).map((parts): AoiShape => ({ parts }))
const aois = array(aoi, { minLength: 1, maxLength: 6 })

test('the AOIs of a point are those that hold it, in order', () => {
  const places = array(record({ at: point, tUs: integer({ min: 0, max: 1_000_000 }) }), { minLength: 1, maxLength: 60 })
  assert(
    property(aois, places, (shapes, points) => {
      const grid = createAoiGrid(shapes)
      for (const { at, tUs } of points) {
        const [x, y] = [Math.round(at.x * 1e6), Math.round(at.y * 1e6)]
        const hits = aoisAt(grid, x, y, tUs)
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
          const hits = aoisAt(grid, x + dx, y + dy, 0)
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
  const settings = { ...defaultParameters(), minFixationDurationMs: 60 }
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
      // Twice, since the columns are used again.
      for (const _ of [1, 2]) {
        expect(rowsOf(gazesByAoi(grid, gaze))).toEqual(shapes.map((shape) => aoiGazes(shape, gaze)))
        expect(rowsOf(fixationsByAoi(grid, fixations))).toEqual(shapes.map((shape) => aoiFixations(shape, fixations)))
        expect(rowsOf(clicksByAoi(grid, samples, display))).toEqual(shapes.map((s) => aoiClicks(s, samples, display)))
      }
    }),
    { numRuns: 300 },
  )
})

test('gaze counts where its rounded point is, beside corners and beside borders of cells, too', () => {
  const places = array(
    record({
      border: option(record({ column: integer({ min: 0, max: 64 }), row: integer({ min: 0, max: 64 }) }), {
        nil: null,
      }),
      corner: nat(),
      quarterX: integer({ min: -4, max: 4 }),
      quarterY: integer({ min: -4, max: 4 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  const display = { leftPx: 0, topPx: 0, widthPx: 100, heightPx: 100 }
  const gaze = createGaze()
  assert(
    property(aois, places, boolean(), (shapes, looks, isDenoised) => {
      const grid = createAoiGrid(shapes)
      const corners = shapes.flatMap(({ parts }) => parts.flatMap(cornersOf))
      const samples = samplesOf(
        looks.map(({ border, corner, quarterX, quarterY }, i) => {
          const [x, y] = border
            ? [
                grid.minX + ((grid.maxX - grid.minX) * border.column) / 64,
                grid.minY + ((grid.maxY - grid.minY) * border.row) / 64,
              ]
            : corners[corner % corners.length]
          // Gaze more than 50 ms apart is not denoised.
          return [i * (isDenoised ? 10 : 60), (x + quarterX / 4) / 1e6, (y + quarterY / 4) / 1e6, 0]
        }),
      )
      denoise(samples, display, 20, gaze)
      expect(rowsOf(gazesByAoi(grid, gaze))).toEqual(shapes.map((shape) => aoiGazes(shape, gaze)))
      for (const _ of [1, 2]) expect(setsOfGaze(grid, gaze)).toEqual(setsAoiByAoi(shapes, gaze))
    }),
    { numRuns: 500 },
  )
})

/** The AOIs of each point of gaze, with a lost one in front. */
function setsOfGaze(grid: AoiGrid, gaze: Gaze): (number[] | null)[] {
  const setOfTime = new Int32Array(gaze.n + 1)
  const sets = gazeSets(
    grid,
    gaze,
    Int32Array.from({ length: gaze.n + 1 }, (_, i) => i - 1),
    setOfTime,
  )
  return Array.from(setOfTime, (set) => (set === -1 ? null : sets[set].toSorted((a, b) => a - b)))
}

function setsAoiByAoi(shapes: AoiShape[], { n, tUs, xPercent, yPercent }: Gaze): (number[] | null)[] {
  const points = Array.from({ length: n }, (_, i) =>
    [...shapes.keys()].filter((a) => isInAoi(shapes[a], toMillionths(xPercent[i]), toMillionths(yPercent[i]), tUs[i])),
  )
  return [null, ...points]
}

/** In millionths, as the part has them. */
function cornersOf({ edges, minX, maxX, minY, maxY }: AoiPartShape): number[][] {
  const ofEdges = Array.from({ length: edges.length / 4 }, (_, e) => [edges[4 * e], edges[4 * e + 1]])
  return [...ofEdges, [minX, minY], [maxX, minY], [minX, maxY], [maxX, maxY]]
}

/** Columns with a place for each AOI, AOI by AOI. */
function rowsOf(columns: Record<string, Int32Array | Float64Array>): Record<string, number>[] {
  return Array.from(columns.count, (_, a) =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[a]])),
  )
}
