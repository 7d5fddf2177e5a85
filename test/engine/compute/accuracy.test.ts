import { expect, test } from 'vitest'
import { measureAccuracy } from '../../../engine/compute/quality/measure-quality.ts'

test('accuracy is the mean distance of gaze from targets; one at which gaze is lost does not count', () => {
  // 3 and 4 px beside the first, 0 and 7 beside the second.
  const points = {
    targetX: Float64Array.of(10, 20, 30),
    targetY: Float64Array.of(10, 20, 30),
    gazeX: Float64Array.of(13, 20, Number.NaN),
    gazeY: Float64Array.of(14, 13, 30),
  }
  expect(measureAccuracy(points, null)).toEqual({ count: 2, px: 6, degrees: null })
})
