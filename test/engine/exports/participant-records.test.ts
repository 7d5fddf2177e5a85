import { expect, test } from 'vitest'
import type { FixationsByAoi } from '../../../engine/compute/aoi-grid.ts'
import type { Fixations } from '../../../engine/compute/fixation-list.ts'
import {
  addRecord,
  addToSums,
  type ItemSums,
  noRecords,
  recordsIn,
} from '../../../engine/exports/tables/participant-records.ts'

/** Fixations of 200 ms, and those of each AOI: its count, or 0 if it has none. */
function made(n: number, counts: number[], firstStartUs: number) {
  const fixations = {
    n,
    startUs: Float64Array.from({ length: n }, (_, f) => f * 300_000),
    endUs: Float64Array.from({ length: n }, (_, f) => f * 300_000 + 200_000),
  } as Fixations
  const seen = (value: (count: number) => number) =>
    Float64Array.from(counts, (count) => (count === 0 ? Number.NaN : value(count)))
  const of = {
    count: Int32Array.from(counts),
    firstStartUs: seen(() => firstStartUs),
    firstDurationUs: seen(() => 200_000),
    totalUs: Float64Array.from(counts, (count) => count * 200_000),
    revisits: Int32Array.from(counts, (count) => count - 1),
  } as unknown as FixationsByAoi
  return { fixations, of }
}

test('sums of records are those of the tests, of each participant on each item', () => {
  const records = noRecords()
  addRecord(records, { person: 7, item: 'a', ...made(3, [2, 0, 1], -40_000) })
  addRecord(records, { person: 2, item: 'b', ...made(0, [0], 0) })
  addRecord(records, { person: 7, item: 'a', ...made(1, [1, 0, 0], 90_000_000_000) })
  const found = [...recordsIn(records)]
  expect(found.map(({ person }) => person)).toEqual([7, 2, 7])

  const sumsOf = (person: number) => {
    const sums = new Map<string, ItemSums>()
    for (const each of found)
      if (each.person === person) addToSums(sums, records, each.at, (item) => (item === 'a' ? 3 : 1))
    return sums
  }
  expect([...sumsOf(2).keys()]).toEqual(['b'])
  expect(sumsOf(2).get('b')).toMatchObject({
    tests: 1,
    fixationCount: 0,
    fixationUs: 0,
    seenTests: new Float64Array(1),
  })
  expect(sumsOf(7).get('a')).toEqual({
    tests: 2,
    fixationCount: 4,
    fixationUs: 800_000,
    seenTests: Float64Array.of(2, 0, 1),
    count: Float64Array.of(3, 0, 1),
    revisits: Float64Array.of(1, 0, 0),
    ttffUs: Float64Array.of(89_999_960_000, 0, -40_000),
    firstDurationUs: Float64Array.of(400_000, 0, 200_000),
    totalUs: Float64Array.of(600_000, 0, 200_000),
  })
})

test('a record takes 22 bytes, and 30 for each AOI with a fixation', () => {
  const records = noRecords()
  for (let i = 0; i < 1000; i++) addRecord(records, { person: i, item: 'a', ...made(5, [2, 0, 0, 3], 0) })
  expect(records.length).toBe(1000 * (22 + 2 * 30))
  expect(records.bytes.length).toBeLessThan(1.3 * records.length)
})
