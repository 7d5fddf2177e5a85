import { expect, test } from 'vitest'
import { bootstrap, meanDifference } from '../../../../engine/analysis/statistics/bootstrap.ts'
import { describe as describeValues, quantile } from '../../../../engine/analysis/statistics/descriptive.ts'
import { friedman } from '../../../../engine/analysis/statistics/friedman.ts'
import { holm } from '../../../../engine/analysis/statistics/holm.ts'
import { kaplanMeier, medianSurvival } from '../../../../engine/analysis/statistics/kaplan-meier.ts'
import { cliffsDelta, mannWhitney } from '../../../../engine/analysis/statistics/mann-whitney.ts'
import { permutationTest } from '../../../../engine/analysis/statistics/permutation.ts'
import { chiSquareTail, normalTail } from '../../../../engine/analysis/statistics/tails.ts'
import { pairedRankBiserial, wilcoxonSignedRank } from '../../../../engine/analysis/statistics/wilcoxon.ts'
import { seeded } from '../../../../isomorphic/random.ts'

/** Known values are those of R 4: wilcox.test, p.adjust, pnorm, quantile, and all arrangements by combn. */
const A = [1.1, 2.3, 3.7, 4.2, 5.9, 6.4, 8.8]
const B = [2.0, 3.1, 7.5, 9.9, 10.2, 11.3, 12.7, 13.1]
const TIED = [
  [0, 0, 120, 120, 340, 560, 780, 780, 900],
  [0, 120, 450, 450, 780, 1200, 1300],
]

test('Mann-Whitney is exact in small groups without ties', () => {
  expect(mannWhitney(A, B)).toEqual({ statistic: 12, p: expect.closeTo(0.0721056721056721, 12), isExact: true })
  expect(mannWhitney(B, A)).toMatchObject({ statistic: 44, p: expect.closeTo(0.0721056721056721, 12) })
  const [x, y] = [
    Array.from({ length: 49 }, (_, i) => (i + 1) * 3),
    Array.from({ length: 45 }, (_, i) => (i + 1) * 3.1 + 7.05),
  ]
  expect(mannWhitney(x, y)).toEqual({ statistic: 1054, p: expect.closeTo(0.717633638526968, 12), isExact: true })
})

test('Mann-Whitney corrects for ties and continuity where it is not exact', () => {
  expect(mannWhitney(TIED[0], TIED[1])).toEqual({
    statistic: 24,
    p: expect.closeTo(0.454373024411223, 12),
    isExact: false,
  })
  const [x, y] = [Array.from({ length: 60 }, (_, i) => 2 * i + 1.5), Array.from({ length: 60 }, (_, i) => 2 * i + 20)]
  expect(mannWhitney(x, y)).toEqual({ statistic: 1275, p: expect.closeTo(0.00590679415380578, 12), isExact: false })
  expect(mannWhitney([5, 5, 5], [5, 5]).p).toBe(1)
})

test('the permutation test goes through all arrangements of small groups', () => {
  const result = permutationTest([12, 15, 19, 22, 31], [18, 25, 33, 35, 41, 44], 1)
  expect(result.isExact).toBe(true)
  expect(result.p).toBeCloseTo(21 / 462, 12)
  expect(result.statistic).toBeCloseTo(19.8 - 196 / 6, 12)
})

test('the permutation test draws arrangements of larger groups, the same for the same seed', () => {
  const [x, y] = [Array.from({ length: 12 }, (_, i) => i * 1.7), Array.from({ length: 14 }, (_, i) => 4 + i * 1.7)]
  const drawn = permutationTest(x, y, 7)
  expect(drawn.isExact).toBe(false)
  expect(permutationTest(x, y, 7)).toEqual(drawn)
  expect(permutationTest(x, y, 8).p).not.toBe(drawn.p)
  // Near the normal approximation of the other test, and never 0.
  expect(Math.abs(drawn.p - mannWhitney(x, y).p)).toBeLessThan(0.03)
  expect(
    permutationTest(
      x,
      y.map((value) => value + 1000),
      1,
    ).p,
  ).toBeCloseTo(1 / 20_001, 12)
})

test('Holm corrects in steps, and omits comparisons without a test', () => {
  const close = (values: number[]) => values.map((value) => expect.closeTo(value, 12))
  expect(holm([0.01, 0.04, 0.03, 0.005, 0.5])).toEqual(close([0.04, 0.09, 0.09, 0.025, 0.5]))
  expect(holm([0.2, 0.9, null, 0.001])).toEqual([expect.closeTo(0.4, 12), 0.9, null, expect.closeTo(0.003, 12)])
  expect(holm([])).toEqual([])
})

test("Cliff's delta counts pairs, ties in neither's favour", () => {
  expect(cliffsDelta(A, B)).toBeCloseTo(-0.571428571428571, 12)
  expect(cliffsDelta(TIED[0], TIED[1])).toBeCloseTo(-0.238095238095238, 12)
  expect(cliffsDelta([3, 4], [1, 2])).toBe(1)
})

test('a bootstrap interval holds the effect, is the same for the same seed, and narrows with more participants', () => {
  const effect = bootstrap(A, B, cliffsDelta, 1)
  expect(bootstrap(A, B, cliffsDelta, 1)).toEqual(effect)
  expect(effect.low).toBeLessThan(effect.value)
  expect(effect.high).toBeGreaterThan(effect.value)
  expect(effect.low).toBeGreaterThanOrEqual(-1)
  const four = (values: number[]) => [...values, ...values, ...values, ...values]
  const more = bootstrap(four(A), four(B), cliffsDelta, 1)
  expect(more.high - more.low).toBeLessThan((effect.high - effect.low) * 0.7)
  // Of a mean of n values: ± 1.96 standard errors, roughly.
  const values = Array.from({ length: 100 }, (_, i) => i)
  const { low, high } = bootstrap(values, [0, 0], meanDifference, 3)
  expect([low, high]).toEqual([expect.closeTo(49.5 - 5.66, 0), expect.closeTo(49.5 + 5.66, 0)])
})

test('quantiles and tails are those of R', () => {
  const values = [3, 1, 4, 1, 5, 9, 2, 6]
  expect([0.025, 0.25, 0.5, 0.975].map((share) => quantile(values, share))).toEqual([
    1,
    1.75,
    3.5,
    expect.closeTo(8.475, 12),
  ])
  const tails = [0.308537538725987, 0.0249978951482204, 4.83424142383777e-4, 9.86587645037698e-10, 1.12858840595384e-19]
  for (const [i, z] of [0.5, 1.96, 3.3, 6, 9].entries()) expect(normalTail(z) / tails[i]).toBeCloseTo(1, 11)
  expect(normalTail(0)).toBe(0.5)
})

test('Kaplan-Meier has the known curve of remission under 6-MP (Freireich et al., 1963)', () => {
  const data = '6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+'.split(' ')
  const steps = kaplanMeier(
    data.map(Number.parseFloat),
    data.map((each) => !each.endsWith('+')),
  )
  expect(steps.map(({ t, atRisk, events, survival }) => [t, atRisk, events, Number(survival.toFixed(4))])).toEqual([
    [6, 21, 3, 0.8571],
    [7, 17, 1, 0.8067],
    [10, 15, 1, 0.7529],
    [13, 12, 1, 0.6902],
    [16, 11, 1, 0.6275],
    [22, 7, 1, 0.5378],
    [23, 6, 1, 0.4482],
  ])
  expect(medianSurvival(steps)).toBe(23)
  // exp(−exp(log(−log S) ± 1.96 √(Σ d / n (n − d)) / log S)), by hand for the first.
  expect([steps[0].low, steps[0].high]).toEqual([expect.closeTo(0.6197, 4), expect.closeTo(0.9516, 4)])
})

test('Kaplan-Meier without censoring is the share that is left, and without events there is no curve', () => {
  expect(kaplanMeier([1, 2, 2, 5], [true, true, true, true]).map(({ survival }) => survival)).toEqual([0.75, 0.25, 0])
  expect(kaplanMeier([1, 2], [false, false])).toEqual([])
  expect(medianSurvival([])).toBeNull()
})

test('the median is the middle of the piece at which half is left, as in R', () => {
  const medianOf = (times: number[], lost: number[] = []) =>
    medianSurvival(
      kaplanMeier(
        times,
        times.map((_, i) => !lost.includes(i)),
      ),
    )
  expect(medianOf([100, 200, 553, 900])).toBe(376.5)
  expect(medianOf([100, 200, 300])).toBe(200)
  // 1 − 1/6, then 4/6, then 3/6, with one censored in the flat piece.
  expect(medianOf([1, 2, 3, 4, 6, 9], [3])).toBe(4.5)
  // Nobody has the event later, so the piece has no end.
  expect(medianOf([1, 2, 5, 5], [2, 3])).toBe(2)
})

test('random numbers are the same for the same seed, and spread evenly', () => {
  const [one, other] = [seeded(5), seeded(5)]
  const values = Array.from({ length: 10_000 }, one)
  expect(Array.from({ length: 10_000 }, other)).toEqual(values)
  const counts = [0, 0, 0, 0]
  for (const value of values) counts[Math.floor(value * 4)]++
  for (const count of counts) expect(Math.abs(count - 2500)).toBeLessThan(200)
})

/** Hollander and Wolfe (1973), p. 29: depression before and after therapy; as in R's help of wilcox.test. */
const BEFORE = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3]
const AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

test('Wilcoxon has the published V and p of depression before and after therapy', () => {
  const expected = { statistic: 40, p: expect.closeTo(0.0390625, 12), isExact: true }
  expect(wilcoxonSignedRank(BEFORE, AFTER)).toEqual(expected)
  expect(wilcoxonSignedRank(AFTER, BEFORE)).toMatchObject({ statistic: 5, p: expect.closeTo(0.0390625, 12) })
  expect(pairedRankBiserial(BEFORE, AFTER)).toBeCloseTo((40 - 5) / 45, 12)
})

test('Wilcoxon leaves out pairs that are equal, and says nothing where all are', () => {
  expect(wilcoxonSignedRank([1, 2, 3], [1, 2, 3])).toEqual({ statistic: 0, p: 1, isExact: false })
  expect(pairedRankBiserial([1, 2], [1, 2])).toBe(0)
  expect(pairedRankBiserial([5, 6, 7, 1], [1, 2, 3, 1])).toBe(1)
  expect(wilcoxonSignedRank([5, 1], [4, 1])).toMatchObject({ statistic: 1, isExact: false })
})

/** Hollander and Wolfe (1973), p. 140: ways of rounding first base, of 22 players; as in R's help of friedman.test. */
const ROUND_OUT =
  '5.40 5.85 5.20 5.55 5.90 5.45 5.40 5.45 5.25 5.85 5.25 5.65 5.60 5.05 5.50 5.45 5.55 5.45 5.50 5.65 5.70 6.30'
const NARROW =
  '5.50 5.70 5.60 5.50 5.85 5.55 5.40 5.50 5.15 5.80 5.20 5.55 5.35 5.00 5.50 5.55 5.55 5.50 5.45 5.60 5.65 6.30'
const WIDE =
  '5.55 5.75 5.50 5.40 5.70 5.60 5.35 5.35 5.00 5.70 5.10 5.45 5.45 4.95 5.40 5.50 5.35 5.55 5.25 5.40 5.55 6.25'

test('Friedman has the published statistic of rounding first base', () => {
  const ways = [ROUND_OUT, NARROW, WIDE].map((text) => text.split(' ').map(Number))
  const { statistic, df, p, kendallsW } = friedman(ways)
  expect([statistic, df]).toEqual([expect.closeTo(11.1428571428571, 12), 2])
  expect(p).toBeCloseTo(0.00380504077551136, 14)
  expect(kendallsW).toBeCloseTo(11.1428571428571 / 44, 12)
  expect(
    friedman([
      [1, 2],
      [1, 2],
      [1, 2],
    ]),
  ).toEqual({ statistic: 0, df: 2, p: 1, kendallsW: 0 })
})

test('chi-squared tails are those of R', () => {
  const known: [number, number, number][] = [
    [3.84, 1, 0.0500435212487052],
    [11.143, 2, 0.00380476899659104],
    [7.5, 3, 0.0575584519726364],
    [20, 10, 0.0292526880769611],
    [60, 7, 1.50955530229891e-10],
    [0, 5, 1],
  ]
  for (const [x, df, tail] of known) expect(chiSquareTail(x, df) / tail).toBeCloseTo(1, 10)
})

test('the deviation of a column is that of a sample, with n - 1', () => {
  // 4 + 0 + 0 + 4 around the mean of 4, over three.
  const { n, mean, sd, min, median, max } = describeValues([2, 4, 4, 6])
  expect([n, mean, sd, min, median, max]).toEqual([4, 4, Math.sqrt(8 / 3), 2, 4, 6])
  expect(describeValues([2]).sd).toBeNull()
})
