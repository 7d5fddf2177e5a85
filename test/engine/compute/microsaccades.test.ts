import { expect, test } from 'vitest'
import { type EyeSaccade, findEyeSaccades, pairSaccades } from '../../../engine/compute/microsaccades.ts'

/** A triangle of period 8 and height 4: its velocity is 0, 2/3, 1, 2/3, 0, −2/3, −1, −2/3 per sample of 1 ms. */
const wave = (i: number) => 4 - Math.abs((i % 8) - 4)
/** From sample 20 to 25, 8 per sample are added to x: 0, 4/3, 4, 20/3, 8, 8, 20/3, 4, 4/3 per sample from 18 to 26. */
const ramp = (i: number) => 8 * Math.min(5, Math.max(0, i - 20))
const columns = (n: number, x: (i: number) => number, y: (i: number) => number) => ({
  tUs: Float64Array.from({ length: n }, (_, i) => i * 1000),
  x: Float64Array.from({ length: n }, (_, i) => x(i)),
  y: Float64Array.from({ length: n }, (_, i) => y(i)),
})
const moved = (i: number) => wave(i) + ramp(i)
const moving = () => columns(64, moved, wave)
/** The noise is 2/3 per sample: the median of the squares 0, 4/9, 4/9 and 1 is 4/9. Faster than 11/3 is fast. */
const SETTINGS = { lambda: 5.5, minSamples: 3 }

test('a saccade has the samples that are faster than λ times the noise, by medians', () => {
  const [saccade, ...others] = findEyeSaccades(moving(), 1000, SETTINGS)
  expect(others).toEqual([])
  // x goes from 4 to 1 + 40, and y from 4 to 0 and 1: the least comes after the greatest.
  expect(saccade).toMatchObject({ first: 20, last: 25, amplitudeX: 37, amplitudeY: -4 })
  // At sample 23: 8 − 2/3 along x and −2/3 along y, per ms.
  expect(saccade.peakVelocity).toBeCloseTo(1000 * Math.hypot(22 / 3, 2 / 3), 9)
})

test('shorter saccades are dropped, and a lost sample or a gap ends one', () => {
  expect(findEyeSaccades(moving(), 1000, { ...SETTINGS, minSamples: 6 })).toHaveLength(1)
  expect(findEyeSaccades(moving(), 1000, { ...SETTINGS, minSamples: 7 })).toEqual([])
  const cut = moving()
  cut.y[23] = Number.NaN
  // Both ends of a segment have no velocity: 20 and 21 are left, then 25.
  expect(findEyeSaccades(cut, 1000, SETTINGS)).toEqual([])
  const late = moving()
  for (let i = 23; i < 64; i++) late.tUs[i] += 600
  expect(findEyeSaccades(late, 1000, SETTINGS)).toEqual([])
  for (let i = 23; i < 64; i++) late.tUs[i] -= 200
  expect(findEyeSaccades(late, 1000, SETTINGS)).toHaveLength(1)
})

test('an eye without samples, with few, or without noise along an axis has no saccades', () => {
  for (const gaze of [
    columns(0, wave, wave),
    columns(4, wave, wave),
    columns(64, () => Number.NaN, wave),
    columns(64, () => 7, wave),
    columns(64, moved, () => 7),
  ])
    expect(findEyeSaccades(gaze, 1000, SETTINGS)).toEqual([])
})

test('where more than half of the velocities are equal, the standard deviation is the noise', () => {
  // Of 200 velocities, 8 along x and 4 along y are not 0.
  const still = columns(200, ramp, (i) => (i === 100 ? 1 : 0))
  const [saccade] = findEyeSaccades(still, 1000, { lambda: 2, minSamples: 3 })
  // σ² = (2 · (16/9 + 16 + 400/9 + 64)) / 200 − (40 / 200)² = 1.2222…; λσ = 2.21: 4 is fast, 4/3 is not.
  expect(saccade).toMatchObject({ first: 20, last: 25, amplitudeX: 40, amplitudeY: 0 })
})

const saccade = (first: number, last: number, amplitudeX: number): EyeSaccade => ({
  first,
  last,
  peakVelocity: 1,
  amplitudeX,
  amplitudeY: 0,
})
const pairsOf = (left: EyeSaccade[], right: EyeSaccade[]) =>
  pairSaccades(left, right).map((pair) => [pair.left.first, pair.right.first])

test('saccades of both eyes that overlap or touch are one, of the largest of each eye', () => {
  expect(pairsOf([saccade(5, 9, 1)], [saccade(9, 12, 1)])).toEqual([[5, 9]])
  expect(pairsOf([saccade(5, 9, 1)], [saccade(10, 12, 1)])).toEqual([[5, 10]])
  expect(pairsOf([saccade(5, 9, 1)], [saccade(11, 14, 1)])).toEqual([])
  // A chain: the second of the left eye is larger; of two equal ones, the first counts.
  expect(pairsOf([saccade(5, 9, 1), saccade(12, 15, -3)], [saccade(8, 13, 1)])).toEqual([[12, 8]])
  expect(pairsOf([saccade(5, 9, 2), saccade(12, 15, -2)], [saccade(8, 13, 1)])).toEqual([[5, 8]])
  expect(pairsOf([saccade(5, 9, 1), saccade(30, 40, 1)], [saccade(4, 6, 1), saccade(50, 60, 1)])).toEqual([[5, 4]])
})

test('without saccades of one eye, there are none of both', () => {
  expect(pairsOf([], [saccade(5, 9, 1)])).toEqual([])
  expect(pairsOf([saccade(5, 9, 1)], [])).toEqual([])
  expect(pairsOf([], [])).toEqual([])
})
