import { expect, test } from 'vitest'
import { apart } from '../../../dashboard/ui/chart/apart.ts'

test('labels that have room stay where they are, in any order', () => {
  expect(apart([50, 10, 30], 20, [0, 100])).toEqual([50, 10, 30])
  expect(apart([], 20, [0, 100])).toEqual([])
})

test('labels that would overlap move apart in their order, and stay within the range', () => {
  expect(apart([40, 50], 20, [0, 100])).toEqual([30, 50])
  expect(apart([95, 99], 20, [0, 100])).toEqual([79, 99])
  expect(apart([5, 10, 12], 20, [0, 100])).toEqual([0, 20, 40])
  expect(apart([120, 110], 20, [0, 100])).toEqual([100, 80])
})
