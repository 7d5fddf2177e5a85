import { expect, test } from 'vitest'
import { meanInterval, probabilityWithin, quantileOf95 } from '../../../../engine/analysis/statistics/student-t.ts'

test('t of 95 % is that of qt(0.975, df) in R', () => {
  const known: [number, number][] = [
    [1, 12.706204736174698],
    [2, 4.302652729749464],
    [3, 3.182446305283709],
    [9, 2.262157162798205],
    [10, 2.228138851986274],
    [29, 2.045229642132703],
    [100, 1.983971518523552],
    [1000, 1.962339080825722],
  ]
  for (const [df, t] of known) expect(quantileOf95(df)).toBeCloseTo(t, 8)
})

test('probabilities are those of Student’s distribution', () => {
  expect(probabilityWithin(1, 1)).toBeCloseTo(0.5, 14)
  // t / √(t² + 2).
  expect(probabilityWithin(1, 2)).toBeCloseTo(1 / Math.sqrt(3), 14)
  expect(probabilityWithin(0, 5)).toBe(0)
})

test('an interval is the mean ± t · sd / √n; one value has none', () => {
  const { n, mean, sd, low, high } = meanInterval([1, 2, 3])
  expect([n, mean, sd]).toEqual([3, 2, 1])
  expect(high - mean).toBeCloseTo(4.302652729749464 / Math.sqrt(3), 10)
  expect(mean - low).toBeCloseTo(high - mean, 12)
  expect(meanInterval([7])).toEqual({ n: 1, mean: 7, sd: Number.NaN, low: Number.NaN, high: Number.NaN })
  expect(meanInterval([])).toMatchObject({ n: 0, mean: Number.NaN })
})
