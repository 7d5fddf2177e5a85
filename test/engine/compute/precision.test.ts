import { expect, test } from 'vitest'
import { precisionOf, windowGroups } from '../../../engine/compute/quality/precision.ts'

test('two positions that are a pair have the step between them, and their deviation from the mean in both directions', () => {
  const samples = { x: Float64Array.of(0, 3), y: Float64Array.of(0, 4), isPair: Int32Array.of(0, 1) }
  const groups = { start: Int32Array.of(0), end: Int32Array.of(2), n: 1, room: new Float64Array(3) }
  // √((4.5 + 8) / 2); an ellipse needs three.
  expect(precisionOf(samples, groups)).toEqual({ rmsS2s: 5, std: 2.5, bcea68: Number.NaN })
})

test('windows of 200 ms lie within a segment, and none begins where less than that follows', () => {
  const tUs = Float64Array.of(0, 100_000, 200_000, 500_000, 600_000, 700_000)
  const segments = { segmentStart: Int32Array.of(0, 3, 6), segmentCount: 2 }
  const { start, end, n } = windowGroups(segments, tUs, Int32Array.of(0, 1, 2, 3, 4, 5, 6))
  expect([[...start.subarray(0, n)], [...end.subarray(0, n)]]).toEqual([
    [0, 3],
    [2, 5],
  ])
})
