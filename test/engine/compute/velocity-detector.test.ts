import { expect, test } from 'vitest'
import { detectFixations } from '../../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../engine/compute/fixation-list.ts'
import { createGaze } from '../../../engine/compute/gaze.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'

const DISPLAY = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }

test('two points between lost gaze are a fixation, if it is long enough', () => {
  const gaze = {
    ...createGaze(),
    ...{ n: 2, segmentCount: 1, segmentStart: Int32Array.of(0, 2), tUs: Float64Array.of(0, 100_000) },
    ...{ xPercent: Float64Array.of(10, 10), yPercent: Float64Array.of(50, 50) },
  }
  const found = createFixations()
  detectFixations(gaze, DISPLAY, { ...defaultParameters(), minFixationDurationMs: 60 }, found)
  expect([found.n, found.startUs[0], found.endUs[0], found.xPercent[0]]).toEqual([1, 0, 100_000, 10])
})
