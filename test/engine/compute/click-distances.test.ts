import { expect, test } from 'vitest'
import { createGaze } from '../../../engine/compute/gaze.ts'
import { measureClicks } from '../../../engine/compute/quality/measure-quality.ts'
import { samplesOf } from './vectors.ts'

const DISPLAY = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }

/** Two points 20 ms apart, at 100 and 500 px, and at 200 and 600 px. */
const gaze = {
  ...createGaze(),
  ...{ n: 2, segmentCount: 1, segmentStart: Int32Array.of(0, 2), tUs: Float64Array.of(0, 20_000) },
  ...{ xPercent: Float64Array.of(10, 20), yPercent: Float64Array.of(50, 60) },
}

const clickAt = (tMs: number, mouseX: number, mouseY: number) => ({
  ...samplesOf([[tMs, null, null, 0]]),
  ...{ mouseXPx: Float64Array.of(mouseX), mouseYPx: Float64Array.of(mouseY), isClick: Uint8Array.of(1) },
})

test('a click between two points is compared with the gaze between them, and one outside of them with none', () => {
  // After a fourth of the way, gaze is at 125 and 525 px: 30 and 40 px away.
  const { count, percents, px, degrees } = measureClicks(clickAt(5, 155, 565), gaze, DISPLAY, null)
  expect([count, degrees]).toEqual([1, null])
  expect(percents).toBeCloseTo(5, 12)
  expect(px).toBeCloseTo(50, 12)
  expect(measureClicks(clickAt(21, 155, 565), gaze, DISPLAY, null).count).toBe(0)
})
