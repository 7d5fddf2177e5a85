import { expect, test } from 'vitest'
import type { RecordedTest } from '../../../dashboard/core/api.ts'
import {
  countInAois,
  createMoments,
  endOf,
  fillMoments,
  lastAt,
  played,
  sampleBeside,
  windowOn,
} from '../../../dashboard/pages/replay/moment.ts'

/** Gaze at 0, 20 and 40 ms, lost, and again from 200 ms on; a click at 30 ms; scrolled at 100 ms. */
const recorded: RecordedTest = {
  testId: '6b1f3a52-0000-4000-8000-000000000001',
  participantId: '6b1f3a52-0000-4000-8000-000000000002',
  durationMs: 400,
  window: { widthPx: 1000, heightPx: 500 },
  display: { leftPx: 100, topPx: 50, widthPx: 800, heightPx: 2000 },
  gaze: { tMs: [0, 20, 40, 200, 220], x: [10, 20, 40, 80, 90], y: [0, 10, 10, 50, 60] },
  segmentStarts: [0, 3],
  mouse: { tMs: [10, 30, 60], x: [5, 6, null], y: [7, 8, null] },
  clicks: [1],
  events: [],
  scroll: [
    [100, 550],
    [150, 1050],
  ],
}
const fixations: Parameters<typeof played>[1] = [
  [10, 10, 0, 40, null, null, null, 1],
  [80, 50, 200, 220, null, null, null, 0, 1],
]
const one = played(recorded, fixations, { name: 'P1', color: '#000000' })

test('the last time that is not after another is found at, between, before and after', () => {
  expect([-1, 0, 5, 40, 1000].map((t) => lastAt([0, 20, 40], t))).toEqual([-1, 0, 0, 2, 2])
  expect(lastAt([], 3)).toBe(-1)
})

/** Returns the state of a test at a time. */
function momentAt(t: number, trailMs = 0) {
  const moments = createMoments(1)
  const looking = fillMoments([one], t, trailMs, moments)
  const [x, y, mouseX, mouseY] = [moments.gazeX[0], moments.gazeY[0], moments.mouseX[0], moments.mouseY[0]]
  const trail = [moments.trailStart[0], moments.trailEnd[0]]
  return { gaze: [x, y], mouse: [mouseX, mouseY], trail, scrollPx: moments.scrollPx[0], looking }
}
const LOST = [Number.NaN, Number.NaN]

test('gaze is on the line between points of a segment, held for 50 ms behind its last, and lost in a gap', () => {
  const gazeAt = (t: number) => momentAt(t).gaze
  expect(gazeAt(-1)).toEqual(LOST)
  expect(gazeAt(0)).toEqual([10, 0])
  expect(gazeAt(10)).toEqual([15, 5])
  expect(gazeAt(90)).toEqual([40, 10])
  expect(gazeAt(91)).toEqual(LOST)
  expect(gazeAt(200)).toEqual([80, 50])
  expect(gazeAt(300)).toEqual(LOST)
  expect([90, 91].map((t) => momentAt(t).looking)).toEqual([1, 0])
})

test('a point that was lost within a segment is lost, and nothing is drawn on the way to it', () => {
  const gaze = { tMs: [0, 20, 40], x: [10, null, 30], y: [0, 5, 20] }
  const moments = createMoments(1)
  const lost = played({ ...recorded, gaze, segmentStarts: [0] }, [], { name: 'P2', color: '#000000' })
  const xAt = (t: number) => {
    fillMoments([lost], t, 0, moments)
    return moments.gazeX[0]
  }
  expect([5, 25, 45].map(xAt)).toEqual([10, Number.NaN, 30])
})

test('the trail holds the points of its length, the one at its start left out', () => {
  expect(momentAt(40, 20).trail).toEqual([2, 3])
  expect(momentAt(40, 21).trail).toEqual([1, 3])
  expect(momentAt(210, 1000).trail).toEqual([0, 4])
})

test('the mouse stays where it was until it is lost', () => {
  expect([5, 29, 50, 60].map((t) => momentAt(t).mouse)).toEqual([LOST, [5, 7], [6, 8], LOST])
})

test('the window shows what the page was scrolled to', () => {
  expect([0, 99, 100, 150].map((t) => momentAt(t).scrollPx)).toEqual([0, 0, 550, 1050])
  expect(windowOn(recorded, 550)).toEqual({ x: -12.5, y: 25, width: 125, height: 25 })
  expect(windowOn({ ...recorded, window: null }, 0)).toBeNull()
})

test('AOIs light up by the fixations under way, start included and end excluded', () => {
  expect(countInAois([one, one], 0, 3)).toEqual([0, 2, 0])
  expect(countInAois([one], 40, 3)).toEqual([0, 0, 0])
  expect(countInAois([one], 219, 3)).toEqual([1, 1, 0])
})

test('samples are stepped through, of gaze and mouse, one after the other', () => {
  expect(sampleBeside([one], 20)).toEqual({ before: 10, after: 30 })
  expect(sampleBeside([one], 25)).toEqual({ before: 20, after: 30 })
  expect(sampleBeside([one], 220)).toEqual({ before: 200, after: 220 })
  expect(sampleBeside([one], 0)).toEqual({ before: 0, after: 10 })
  expect(endOf([one])).toBe(400)
})
