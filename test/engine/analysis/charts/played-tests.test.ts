import { expect, test } from 'vitest'
import { playedTests } from '../../../../engine/analysis/charts/answer-chart.ts'

/** Returns a selection of tests with so many samples each. */
function testsOf(sampleCounts: number[]) {
  const n = sampleCounts.length
  const numbers = () => Int32Array.from({ length: n }, (_, i) => i)
  const columns = { testRows: numbers(), itemIndexes: numbers(), participantRows: numbers(), files: numbers() }
  const places = { ordinals: numbers(), firstSamples: numbers() }
  return { n, ...columns, ...places, sampleCounts: Int32Array.from(sampleCounts) }
}
const played = (sampleCounts: number[]) => {
  const { tests, limit } = playedTests(testsOf(sampleCounts))
  expect([...tests.testRows]).toEqual(Array.from({ length: tests.n }, (_, i) => i))
  return [tests.n, limit]
}

test('a replay plays all of 300 tests of 10 s at 60 Hz, and of 301 the first 300', () => {
  expect(played(new Array(300).fill(600))).toEqual([300, null])
  expect(played(new Array(301).fill(600))).toEqual([300, { of: 'tests', most: 300 }])
})

test('it plays fewer tests that have 400,000 samples together, but always one', () => {
  expect(played([199_999, 199_999])).toEqual([2, null])
  expect(played([200_000, 200_000])).toEqual([1, { of: 'samples', most: 400_000 }])
  expect(played([4_000_000])).toEqual([1, null])
  expect(played([])).toEqual([0, null])
  expect(played(new Array(400).fill(4000))).toEqual([99, { of: 'samples', most: 400_000 }])
})
