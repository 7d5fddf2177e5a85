import { expect, test } from 'vitest'
import { clickDisparities, suggestOffset, targetDisparities } from '../../../engine/compute/disparities.ts'

const NONE = Number.NaN

/** Samples of the given rows: ms, gaze x and y, scroll, mouse x and y where it was clicked. */
function samplesOf(rows: [ms: number, x: number, y: number, scroll: number, clickX?: number, clickY?: number][]) {
  const column = (value: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, value)
  return {
    n: rows.length,
    tUs: column(([ms]) => ms * 1000),
    gazeXPx: column(([, x]) => x),
    gazeYPx: column(([, , y]) => y),
    scrollYPx: column(([, , , scroll]) => scroll),
    mouseXPx: column((row) => row[4] ?? NONE),
    mouseYPx: column((row) => row[5] ?? NONE),
    isClick: Uint8Array.from(rows, (row) => (row.length > 4 ? 1 : 0)),
  }
}

const plain = ({ dx, dy }: { dx: Float64Array; dy: Float64Array }) => [[...dx], [...dy]]

test('a disparity leads from the median gaze of the 200 ms before a click to the click', () => {
  const samples = samplesOf([
    [0, 900, 900, 0],
    [100, 10, 20, 0],
    [200, 30, 40, 0],
    [250, NONE, NONE, 0],
    [300, 50, 90, 0, 100, 100],
    [310, 700, 700, 0],
  ])
  expect(plain(clickDisparities(samples))).toEqual([[70], [60]])
})

test('the window moves on from click to click, in the order of time', () => {
  const rows: Parameters<typeof samplesOf>[0] = [
    [1000, 5, 5, 0, 5, 5],
    [0, 1, 2, 0, 11, 12],
    [500, 3, 3, 0, 0, 0],
  ]
  expect(plain(clickDisparities(samplesOf(rows)))).toEqual([
    [10, -3, 0],
    [10, -3, 0],
  ])
})

test('gaze moves with a page that was scrolled before the click', () => {
  const samples = samplesOf([
    [0, 10, 50, 0],
    [100, NONE, NONE, 40, 10, 10],
  ])
  expect(plain(clickDisparities(samples))).toEqual([[0], [0]])
})

test('clicks without gaze before them, without a position, or before item onset are left out', () => {
  const samples = samplesOf([
    [-100, 1, 1, 0, 5, 5],
    [0, NONE, NONE, 0, 5, 5],
    [300, 1, 1, 0, NONE, NONE],
    [600, NONE, 1, 0, 5, 5],
  ])
  expect(plain(clickDisparities(samples))).toEqual([[], []])
  expect(plain(clickDisparities(samplesOf([])))).toEqual([[], []])
})

test('targets without gaze are left out', () => {
  const of = (...values: number[]) => Float64Array.from(values)
  const validations = { targetX: of(10, 20), targetY: of(10, 20), gazeX: of(7, NONE), gazeY: of(14, 3) }
  expect(plain(targetDisparities(validations))).toEqual([[3], [-4]])
})

test('the suggestion is the median of each axis, which a wrong place cannot move far', () => {
  const disparities = { dx: Float64Array.of(3, 3, 3, 3, 900), dy: Float64Array.of(-4, -4, -4, -4, 900) }
  expect(suggestOffset(disparities, 5)).toEqual({ count: 5, dxPx: 3, dyPx: -4, distancePx: 5, leftPx: 0 })
  expect(suggestOffset(disparities, 6)).toEqual({ count: 5, dxPx: null, dyPx: null, distancePx: 5, leftPx: null })
})

test('without any place there is none', () => {
  const none = { dx: new Float64Array(0), dy: new Float64Array(0) }
  expect(suggestOffset(none, 3)).toEqual({ count: 0, dxPx: null, dyPx: null, distancePx: null, leftPx: null })
})
