import { expect, test } from 'vitest'
import type { AoiPart } from '../../../../dashboard/core/api.ts'
import { keyFramesOf, movedOnLines, withKeyFrame } from '../../../../dashboard/pages/aoi-editor/shapes/key-frames.ts'

const box = (x: number, y: number, fromMs: number, toMs: number): AoiPart => ({
  areaPoints: { topLeft: { xPx: x, yPx: y }, bottomRight: { xPx: x + 50, yPx: y + 20 } },
  timeRange: { fromMs, toMs },
})
const triangle = (x: number, fromMs: number, toMs: number): AoiPart => ({
  areaPoints: {
    points: [
      { x, y: 0 },
      { x: x + 0.25, y: 0 },
      { x, y: 0.4 },
    ],
  },
  timeRange: { fromMs, toMs },
})

test('corners move on straight lines between key frames, in steps that have the place of their start', () => {
  // 120 ms in steps of at most 50 ms: three of 40 ms. Then 40 ms in one step.
  expect(movedOnLines([box(0, 0, 0, 50), box(300, 30, 120, 130), box(300, 70, 160, 500)], 50)).toEqual([
    box(0, 0, 0, 40),
    box(100, 10, 40, 80),
    box(200, 20, 80, 120),
    box(300, 30, 120, 160),
    box(300, 70, 160, 500),
  ])
})

test('corners of polygons move as those of rectangles do', () => {
  expect(movedOnLines([triangle(0, 0, 80), triangle(0.5, 80, 100)], 40)).toEqual([
    triangle(0, 0, 40),
    triangle(0.25, 40, 80),
    triangle(0.5, 80, 100),
  ])
})

test('key frames are recovered from the parts that they became', () => {
  const keys = [box(0, 0, 0, 100), box(300, 30, 100, 140), box(300, 70, 140, 500)]
  expect(keyFramesOf(movedOnLines(keys, 40) as AoiPart[])).toEqual(keys)
})

test('what cannot be moved is refused in a sentence', () => {
  const { areaPoints } = box(0, 0, 0, 1)
  expect(movedOnLines([{ areaPoints }], 40)).toBe('Key frames are two or more parts, each with a time.')
  expect(movedOnLines([box(0, 0, 0, 9), triangle(0, 9, 20)], 40)).toMatch(/same number of corners/)
  expect(movedOnLines([box(0, 0, 0, 9), box(1, 1, 0, 20)], 40)).toMatch(/begin at the same time/)
  expect(movedOnLines([box(0, 0, 0, 9), box(1, 1, 40_000, 50_000)], 40)).toBe(
    'These would be 1001 parts, and an AOI has at most 1000: choose longer steps.',
  )
})

test('a key frame begins where a part that counts is cut in two', () => {
  const { areaPoints } = box(0, 0, 0, 1)
  const cut = [box(0, 0, 0, 300), box(0, 0, 300, 1000)]
  expect(withKeyFrame([{ areaPoints }], 300, 1000)).toEqual({ parts: cut, at: 1 })
  expect(withKeyFrame([box(0, 0, 0, 200)], 300, 1000)).toBe('No part of the AOI counts before and after 300 ms.')
})
