import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createGaze, denoise, type Samples } from '../../../engine/compute/gaze.ts'
import { countPoints } from '../../../engine/compute/quality/count-points.ts'

function samplesAt(tUs: number[], isLost: (i: number) => boolean): Samples {
  const n = tUs.length
  const x = Float64Array.from(tUs, (_, i) => (isLost(i) ? Number.NaN : 5))
  const zeros = new Float64Array(n)
  const rest = { scrollYPx: zeros, mouseXPx: zeros, mouseYPx: zeros, isClick: new Uint8Array(n) }
  return { n, tUs: Float64Array.from(tUs), gazeXPx: x, gazeYPx: x, ...rest }
}

test('points between samples of 33 ms are interpolated, and gaps above 50 ms are counted', () => {
  // Of 17 to 34 ms one point, of more than that two, of more than 50 ms none.
  const tUs = [-5000, 0, 16_000, 33_000, 67_000, 102_000, 152_000, 202_001]
  expect(countPoints(samplesAt(tUs, () => false))).toEqual({ points: 13, interpolated: 6, cuts: 1 })
  expect(countPoints(samplesAt([], () => false))).toEqual({ points: 0, interpolated: 0, cuts: 0 })
})

test('counts are those of the gaze', () => {
  const steps = array(constantFrom(-3000, 0, 2000, 16_000, 17_000, 34_000, 35_000, 50_000, 51_000), { maxLength: 30 })
  const gaze = createGaze()
  assert(
    property(steps, constantFrom(2, 3, 50), (apart, lostEach) => {
      let t = -2000
      const tUs = apart.map((step) => (t += step))
      const samples = samplesAt(tUs, (i) => i % lostEach === 1)
      denoise(samples, { leftPx: 0, topPx: 0, widthPx: 100, heightPx: 100 }, 20, gaze)
      expect(countPoints(samples)).toEqual({
        points: gaze.n,
        interpolated: gaze.isInterpolated.subarray(0, gaze.n).reduce((sum, each) => sum + each, 0),
        cuts: Math.max(0, gaze.segmentCount - 1),
      })
    }),
  )
})
