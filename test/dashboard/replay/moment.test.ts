import { expect, test } from 'vitest'
import type { RecordedTest } from '../../../dashboard/core/api.ts'
import {
  countInAois,
  endOf,
  lastAt,
  momentOf,
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

test('gaze is on the line between points of a segment, held for 50 ms behind its last, and lost in a gap', () => {
  const gazeAt = (t: number) => momentOf(one, t, 0).gaze
  expect(gazeAt(-1)).toBeNull()
  expect(gazeAt(0)).toEqual({ x: 10, y: 0 })
  expect(gazeAt(10)).toEqual({ x: 15, y: 5 })
  expect(gazeAt(90)).toEqual({ x: 40, y: 10 })
  expect(gazeAt(91)).toBeNull()
  expect(gazeAt(200)).toEqual({ x: 80, y: 50 })
  expect(gazeAt(300)).toBeNull()
})

test('the trail holds the points of its length, the one at its start left out', () => {
  expect(momentOf(one, 40, 20).trail).toEqual({ start: 2, end: 3 })
  expect(momentOf(one, 40, 21).trail).toEqual({ start: 1, end: 3 })
  expect(momentOf(one, 210, 1000).trail).toEqual({ start: 0, end: 4 })
})

test('the mouse stays where it was until it is lost, and a click is shown for a while', () => {
  expect(momentOf(one, 5, 0).mouse).toBeNull()
  expect(momentOf(one, 29, 0)).toMatchObject({ mouse: { x: 5, y: 7 }, clicks: [] })
  expect(momentOf(one, 50, 0)).toMatchObject({ mouse: { x: 6, y: 8 }, clicks: [{ x: 6, y: 8, agoMs: 20 }] })
  expect(momentOf(one, 60, 0).mouse).toBeNull()
  expect(momentOf(one, 730, 0).clicks).toEqual([])
})

test('the window shows what the page was scrolled to', () => {
  expect([0, 99, 100, 150].map((t) => momentOf(one, t, 0).scrollPx)).toEqual([0, 0, 550, 1050])
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
