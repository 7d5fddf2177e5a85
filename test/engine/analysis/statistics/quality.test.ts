import { expect, test } from 'vitest'
import { describeMeasures, describeParticipants, meansBy } from '../../../../engine/analysis/statistics/quality.ts'

const { NaN: none } = Number

test('a measure is described over the tests that have it', () => {
  const [one, empty] = describeMeasures([Float64Array.of(4, none, 1, 2), Float64Array.of(none)])
  expect([one.n, one.min, one.median, one.max]).toEqual([3, 1, 2, 4])
  expect(empty).toEqual({ n: 0, mean: null, sd: null, min: null, q1: null, median: null, q3: null, max: null })
})

test('a participant has the median of the tests that have a measure, null of none', () => {
  const values = [Float64Array.of(1, 5, 3, none), Float64Array.of(none, 7, none, none)]
  expect(describeParticipants(['p', 'q', 'p', 'p'], values)).toEqual([
    { participantId: 'p', tests: 3, medians: [2, null] },
    { participantId: 'q', tests: 1, medians: [5, 7] },
  ])
})

test('means are by place, ascending, of what has place and value', () => {
  const at = Float64Array.of(2, 1, 2, none, 3)
  const values = Float64Array.of(10, 4, 20, 99, none)
  expect(meansBy(at, values)).toEqual([
    { at: 1, tests: 1, mean: 4 },
    { at: 2, tests: 2, mean: 15 },
  ])
})
