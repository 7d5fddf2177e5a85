import { expect, test } from 'vitest'
import { countsOf, type HeatmapPart, heatmapChart, sharesOf } from '../../../../engine/analysis/charts/heatmap.ts'

/** Two cells; `a` was recorded ten times as long as `b`. */
const part = (): HeatmapPart => ({
  weights: Float64Array.of(0, 0),
  count: 11,
  participants: new Map([
    ['a', { total: 6, outside: 4, cells: new Map([[0, 6]]) }],
    ['b', { total: 1, outside: 0, cells: new Map([[1, 1]]) }],
  ]),
})

test('counts are summed on the item and beside it', () => {
  expect(countsOf({ ...part(), weights: Float64Array.of(6, 1) })).toEqual({
    weights: Float64Array.of(6, 1),
    total: 7,
    outside: 4,
  })
})

test('shares let each participant weigh the same: half of 60 % and half of 100 %', () => {
  expect(sharesOf(part())).toEqual({ weights: Float64Array.of(30, 50), total: 80, outside: 20 })
})

test('a participant without gaze takes no share of the others', () => {
  const given = part()
  given.participants.set('c', { total: 0, outside: 0, cells: new Map() })
  expect(sharesOf(given).total).toBe(80)
})

test('the tests of one participant in two shards are one participant', () => {
  const { merge } = heatmapChart('gazes', 'participants', 2, 1)
  const total = part()
  merge(total, part())
  expect(total.count).toBe(22)
  expect(total.participants.get('a')).toEqual({ total: 12, outside: 8, cells: new Map([[0, 12]]) })
  expect(sharesOf(total)).toEqual({ weights: Float64Array.of(30, 50), total: 80, outside: 20 })
})
