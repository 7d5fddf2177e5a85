import { expect, test } from 'vitest'
import { addFixationAt, addSaccade, createFixations } from '../../../engine/compute/fixation-list.ts'
import { keepWithin } from '../../../engine/compute/time-window.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'

const DISPLAY = { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 }

test('the first fixation of a window has no saccade, since it would come from outside; the next one keeps its own', () => {
  const fixations = createFixations()
  for (const f of [0, 1, 2]) {
    addFixationAt(10 * f, 0, f, f + 1, f * 100_000, f * 100_000 + 90_000, fixations)
    if (f > 0) addSaccade(f, DISPLAY, defaultParameters(), fixations)
  }
  expect(keepWithin(fixations, { fromUs: 100_000, toUs: 300_000 })).toBe(1)
  expect([...fixations.hasSaccade.subarray(0, fixations.n)]).toEqual([0, 1])
  expect([...fixations.saccadeAmplitudePercent.subarray(0, fixations.n)]).toEqual([Number.NaN, 10])
  expect([...fixations.saccadeLengthPx.subarray(0, fixations.n)]).toEqual([Number.NaN, 100])
})
