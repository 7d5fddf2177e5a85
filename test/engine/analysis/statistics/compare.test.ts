import { expect, test } from 'vitest'
import { comparePairs, withHolm } from '../../../../engine/analysis/statistics/compare.ts'
import { compareWithin } from '../../../../engine/analysis/statistics/within.ts'

const of = (...values: number[]) => Float64Array.from(values)

test('groups whose p cannot reach 0.05 have n, medians and, from three values on, an effect, but no test', () => {
  const pOf = (a: Float64Array, b: Float64Array, kind: 'mann-whitney' | 'permutation') =>
    comparePairs([a, b], kind)[0].test?.p ?? null
  // The least p of U is 2 of 20, of 35, of 56, of 70; of means in groups of unequal sizes, 1 of 35.
  const [three, four, five] = [of(1, 2, 3), of(11, 12, 13, 14), of(11, 12, 13, 14, 15)]
  expect(pOf(three, of(11, 12, 13), 'mann-whitney')).toBeNull()
  expect(pOf(three, of(11, 12, 13), 'permutation')).toBeNull()
  expect(pOf(three, four, 'mann-whitney')).toBeNull()
  expect(pOf(three, four, 'permutation')).toBeCloseTo(1 / 35, 12)
  expect(pOf(three, five, 'mann-whitney')).toBeCloseTo(2 / 56, 12)
  expect(pOf(of(1, 2, 3, 4), four, 'mann-whitney')).toBeCloseTo(2 / 70, 12)
  // Ties would be tested by the normal approximation, with p = 0.046.
  expect(pOf(of(1, 1, 1), of(2, 2, 2), 'mann-whitney')).toBeNull()
  const [compared] = comparePairs([three, of(11, 12, 13)], 'mann-whitney')
  expect(compared).toMatchObject({ n: [3, 3], medians: [2, 12], test: null, effect: { value: -1 } })
})

test('groups of nobody, one and two have no test and no effect, and the others of the figure are corrected alone', () => {
  const full = of(1, 2, 3, 4)
  for (const few of [of(), of(5), of(5, 6)]) {
    const [compared] = comparePairs([few, full], 'mann-whitney')
    expect([compared.n, compared.test, compared.effect]).toEqual([[few.length, 4], null, null])
  }
  const compared = withHolm(comparePairs([of(), full, of(11, 12, 13, 14)], 'mann-whitney'))
  expect(compared.map(({ pHolm }) => pHolm)).toEqual([null, null, expect.closeTo(2 / 70, 12)])
})

test('equal values of two groups have p 1 and an effect of 0', () => {
  const equal = Float64Array.from({ length: 6 }, () => 0.1)
  for (const kind of ['mann-whitney', 'permutation'] as const) {
    const [{ test: own, effect }] = comparePairs([equal, equal], kind)
    expect([own?.p, effect]).toEqual([1, { value: 0, low: 0, high: 0 }])
  }
})

test('conditions are tested from six participants on who differ: the least p of fewer is above 0.05', () => {
  const pairOf = (a: Float64Array, b: Float64Array) => compareWithin([a, b]).comparisons[0]
  const zero = (n: number) => new Float64Array(n)
  expect(pairOf(of(1, 2, 3, 4, 5, 6), zero(6)).test).toEqual({ statistic: 21, p: 2 / 64, isExact: true })
  const five = pairOf(of(1, 2, 3, 4, 5), zero(5))
  expect([five.n, five.test, five.effect?.value]).toEqual([5, null, 1])
  // Equal pairs are left out of the test: five differ by as much, whose p would be 0.037 by the normal approximation.
  expect(pairOf(of(1, 1, 1, 1, 1, 0), zero(6)).test).toBeNull()
})

test('all conditions are equal, or nobody, one or two saw them: no p but that of ranks that all agree', () => {
  const equal = Float64Array.from({ length: 8 }, () => 0.1)
  const { friedman, comparisons } = compareWithin([equal, equal, equal])
  expect(friedman).toEqual({ statistic: 0, df: 2, p: 1, kendallsW: 0 })
  expect(comparisons.map(({ test: own, effect }) => [own, effect])).toEqual(
    Array(3).fill([null, { value: 0, low: 0, high: 0 }]),
  )
  for (const few of [of(), of(5), of(5, 6)]) {
    const own = compareWithin([few, few, few])
    expect(own.friedman).toBeNull()
    for (const pair of own.comparisons) expect([pair.n, pair.test, pair.effect]).toEqual([few.length, null, null])
  }
})
