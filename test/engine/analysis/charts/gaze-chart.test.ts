import { expect, test } from 'vitest'
import { type GazePart, gazeChart, spreadOf } from '../../../../engine/analysis/charts/gaze-chart.ts'

/** One bin; sums of percents in millionths. */
const part = (): GazePart => ({
  pointCount: 4,
  laterCount: 0,
  n: [4],
  participants: new Map([
    ['a', { n: [3], sumX: [30e6], sumY: [60e6] }],
    ['b', { n: [1], sumX: [40e6], sumY: [40e6] }],
  ]),
  inAoi: [],
  points: [],
})

test('the mean is of the means of participants, however many points each has', () => {
  const { participants, meanX, meanY } = spreadOf(part(), 0)
  expect({ participants, meanX, meanY }).toEqual({ participants: 2, meanX: 25, meanY: 30 })
})

test('the deviation is that of a sample: divided by n − 1', () => {
  const { sdX, sdY } = spreadOf(part(), 0)
  expect(sdX).toBeCloseTo(Math.sqrt(450), 12)
  expect(sdY).toBeCloseTo(Math.sqrt(200), 12)
})

test('one participant has no deviation, and a bin without any has no mean', () => {
  const given = part()
  given.participants.delete('b')
  expect(spreadOf(given, 0)).toMatchObject({ participants: 1, meanX: 10, sdX: Number.NaN })
  expect(spreadOf(given, 7)).toMatchObject({ participants: 0, meanX: Number.NaN })
})

test('shards of different lengths are added bin by bin', () => {
  const { merge } = gazeChart(100, 2000, 0)
  const total = part()
  const later = { ...part(), n: [1, 2], participants: new Map([['a', { n: [1, 2], sumX: [0, 2e6], sumY: [0, 4e6] }]]) }
  merge(total, later)
  expect(total.n).toEqual([5, 2])
  expect(total.participants.get('a')).toEqual({ n: [4, 2], sumX: [30e6, 2e6], sumY: [60e6, 4e6] })
})
