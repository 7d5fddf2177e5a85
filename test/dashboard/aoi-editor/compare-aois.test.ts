import { expect, test } from 'vitest'
import type { Aoi } from '../../../dashboard/core/api.ts'
import { aoiChanges, clashesOf, mergeAois, sameAois } from '../../../dashboard/pages/aoi-editor/draft/compare-aois.ts'

const aoi = (id: string, name = id, rightPx = 10): Aoi => ({
  id,
  itemId: 'item',
  name,
  parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: rightPx, yPx: 10 } } }],
})
const BASE = [aoi('a'), aoi('b'), aoi('c')]
const never = () => {
  throw new Error('nothing is to be chosen')
}

test('differences name what was added, removed, renamed, reshaped and reordered, and nothing else', () => {
  const timed = { ...aoi('c'), parts: [{ ...aoi('c').parts[0], timeRange: { fromMs: 0, toMs: 5 } }] }
  const did = aoiChanges(BASE, [aoi('b', 'B', 20), timed, aoi('d')]).map(({ id, did }) => [id, did])
  expect(did).toEqual([
    ['a', 'removed'],
    ['b', 'renamed from “b”, different shape or position'],
    ['c', 'different times'],
    ['d', 'added'],
  ])
  expect(aoiChanges(BASE, BASE.toReversed())).toEqual([{ id: '', name: '', did: 'order changed' }])
  const asServed = BASE.map(({ parts, ...own }) => ({
    parts: parts.map((part) => ({ timeRange: null, ...part })),
    ...own,
  }))
  expect(sameAois(BASE, asServed)).toBe(true)
})

test('a merge has all that only one has changed, from whomever', () => {
  const mine = [aoi('a', 'mine'), aoi('c'), aoi('d')]
  const theirs = [aoi('a'), aoi('b'), aoi('c', 'theirs'), aoi('e')]
  expect(clashesOf(BASE, mine, theirs)).toEqual([])
  expect(mergeAois(BASE, mine, theirs, never).map(({ name }) => name)).toEqual(['mine', 'theirs', 'e', 'd'])
  expect(mergeAois(BASE, BASE, theirs, never)).toEqual(theirs)
  expect(mergeAois(BASE, mine, BASE, never).map(({ id }) => id)).toEqual(['a', 'c', 'd'])
  // Whose order was changed keeps it.
  expect(mergeAois(BASE, BASE.toReversed(), BASE, never).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  expect(mergeAois(BASE, BASE, BASE.toReversed(), never).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})

test('what both have changed is asked for, and both can be kept', () => {
  const [mine, theirs] = [
    [aoi('a', 'mine'), aoi('b'), aoi('c')],
    [aoi('a', 'theirs'), aoi('b')],
  ]
  expect(clashesOf(BASE, mine, theirs).map(({ id }) => id)).toEqual(['a'])
  const merged = (choice: 'mine' | 'theirs' | 'both') =>
    mergeAois(BASE, mine, theirs, () => choice).map(({ name }) => name)
  expect(merged('mine')).toEqual(['mine', 'b'])
  expect(merged('theirs')).toEqual(['theirs', 'b'])
  expect(merged('both')).toEqual(['theirs', 'mine (mine)', 'b'])
  const removed = mergeAois(BASE, [aoi('b'), aoi('c')], theirs, () => 'both')
  expect(removed.map(({ name }) => name)).toEqual(['theirs', 'b'])
})
