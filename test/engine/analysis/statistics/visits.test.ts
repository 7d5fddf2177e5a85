import { expect, test } from 'vitest'
import { ranksBySize } from '../../../../engine/analysis/statistics/aoi-ranks.ts'
import { comparePairs, countShared, withHolm } from '../../../../engine/analysis/statistics/compare.ts'
import { firstLooks } from '../../../../engine/analysis/statistics/first-looks.ts'
import { valuesOfParticipants } from '../../../../engine/analysis/statistics/measures.ts'
import { summarizeVisits, visitingAt } from '../../../../engine/analysis/statistics/visits.ts'

const none = Number.NaN

/** Visits of two tests and two AOIs: the first test visits the first AOI twice, the second once. */
const VISITS = {
  n: 3,
  test: Int32Array.of(0, 0, 1),
  aoi: Int32Array.of(0, 0, 0),
  startsAtMs: Float64Array.of(0, 400, 100),
  endsAtMs: Float64Array.of(200, 500, 300),
  dwellMs: Float64Array.of(150, 100, 200),
}

test('visits are counted, and averaged over tests with visits', () => {
  expect(summarizeVisits(VISITS, 2)).toEqual([
    { tests: 2, visits: 3, perTest: 1.5, dwellMs: 150, durationMs: 500 / 3 },
    { tests: 0, visits: 0, perTest: null, dwellMs: null, durationMs: null },
  ])
})

test('a visit lasts from its start to before its end, of all tests, also of those that never visit', () => {
  const times = Float64Array.of(0, 100, 200, 300, 400)
  const { tests, percents } = visitingAt(VISITS, Float64Array.of(none, none, none, none), 2, times)
  expect([...tests]).toEqual([4, 4, 4, 4, 4])
  expect(percents.map((own) => [...own])).toEqual([
    [25, 50, 25, 0, 25],
    [0, 0, 0, 0, 0],
  ])
})

test('a test that is over is none of those that might visit, nor is its last visit', () => {
  const times = Float64Array.of(0, 200, 250, 450, 600)
  const { tests, percents } = visitingAt(VISITS, Float64Array.of(600, 250, none), 1, times)
  expect([...tests]).toEqual([3, 3, 2, 2, 1])
  expect([...percents[0]]).toEqual([100 / 3, 100 / 3, 0, 50, 0])
  const over = visitingAt(VISITS, Float64Array.of(100, 100), 1, Float64Array.of(100))
  expect([[...over.tests], [...over.percents[0]]]).toEqual([[0], [none]])
})

test('who never looks is censored at the end of their first test, and later tests do not count', () => {
  const people = ['p1', 'p2', 'p2', 'p3']
  const untilMs = Float64Array.of(1000, 500, 900, none)
  const a = firstLooks(
    people,
    Float64Array.of(300, none, 10, 700),
    untilMs,
    800,
    Float64Array.of(0, 300, 301, 700, 701),
  )
  expect(a).toMatchObject({ n: 3, looked: 2, medianMs: 700, untilMs: 700, atRisk: [3, 3, 2, 1, 0] })
  expect(a.steps.map(({ t, atRisk, survival }) => [t, atRisk, Number(survival.toFixed(4))])).toEqual([
    [300, 3, 0.6667],
    [700, 1, 0],
  ])
  const b = firstLooks(people, Float64Array.of(none, none, 20, none), untilMs, 800, new Float64Array(0))
  expect(b).toEqual({ n: 3, looked: 0, steps: [], medianMs: null, untilMs: 1000, atRisk: [] })
})

test('a participant has the mean of their tests that have a value, and none without', () => {
  const { participantIds, values } = valuesOfParticipants(
    ['a', 'b', 'a', 'c', 'c'],
    Float64Array.of(1, 5, 2, none, none),
  )
  expect([participantIds, [...values]]).toEqual([
    ['a', 'b'],
    [1.5, 5],
  ])
})

test('every two groups are compared, those below three values without a test, and Holm counts the tests alone', () => {
  const groups = [Float64Array.of(1, 2, 3, 4), Float64Array.of(5, 6, 7, 8), Float64Array.of(9, 10)]
  const compared = withHolm(comparePairs(groups, 'mann-whitney'))
  expect(compared.map(({ first, second, n, medians }) => [first, second, n, medians])).toEqual([
    [0, 1, [4, 4], [2.5, 6.5]],
    [0, 2, [4, 2], [2.5, 9.5]],
    [1, 2, [4, 2], [6.5, 9.5]],
  ])
  // 2 of 70 arrangements are as far apart.
  expect(compared.map(({ test, pHolm }) => [test?.p ?? null, pHolm])).toEqual([
    [expect.closeTo(2 / 70, 12), expect.closeTo(2 / 70, 12)],
    [null, null],
    [null, null],
  ])
  expect(compared[0].effect).toEqual({ value: -1, low: -1, high: -1 })
  expect(comparePairs([new Float64Array(0), groups[0]], 'permutation')[0]).toMatchObject({
    n: [0, 4],
    medians: [none, 2.5],
    test: null,
  })
  expect(
    countShared([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b', 'd'],
    ]),
  ).toBe(2)
})

test('AOIs are ranked from the smallest, equal ones in their order', () => {
  expect([...ranksBySize([30, 10, 30, 5])]).toEqual([2, 1, 3, 0])
})
