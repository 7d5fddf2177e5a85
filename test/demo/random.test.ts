import { expect, test } from 'vitest'
import { makeDemoIds } from '../../demo/ids.ts'
import { createRandom, NORMAL_QUANTILES, randomUuid, weightedIndex } from '../../demo/random.ts'

const draws = (...path: number[]) => {
  const { uint32 } = createRandom(...path)
  return Array.from({ length: 8 }, () => uint32())
}

test('A stream is the same for the same path, and another for any other', () => {
  expect(draws(1, 2, 3)).toEqual(draws(1, 2, 3))
  const others = [draws(1, 2, 3), draws(1, 2, 4), draws(1, 3, 2), draws(2, 2, 3), draws(1 + 2 ** 32, 2, 3), draws(1, 2)]
  expect(new Set(others.map(String)).size).toBe(others.length)
  expect(new Set(others.flat()).size).toBe(8 * others.length)
})

test('Uniform numbers fill the unit interval evenly', () => {
  const { uniform } = createRandom(5)
  const counts = new Array(10).fill(0)
  for (let i = 0; i < 20_000; i++) counts[Math.floor(uniform() * 10)]++
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(220)
})

test('Normal numbers have mean 0 and deviation 1', () => {
  expect(NORMAL_QUANTILES[0]).toBeCloseTo(-NORMAL_QUANTILES[4095], 9)
  // The 0.975 quantile lies between the steps around 0.975 × 4096.
  expect(NORMAL_QUANTILES[3993]).toBeCloseTo(1.96, 2)
  const squares = NORMAL_QUANTILES.reduce((sum, value) => sum + value * value, 0)
  expect(squares / 4096).toBeCloseTo(1, 2)
})

test('Ids are version 4 UUIDs and differ by kind, index and study', () => {
  const one = makeDemoIds([1, 24, 6, 8000, 30_000])
  const two = makeDemoIds([1, 24, 6, 8000, 60_000])
  const ids = [one, two].flatMap((ids) => [
    ids.study,
    ...Array.from({ length: 500 }, (_, i) => [ids.item(i), ids.participant(i), ids.test(i), ids.aoi(i)]).flat(),
  ])
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(ids.length)
  expect(randomUuid(createRandom(1))).toBe(randomUuid(createRandom(1)))
})

test('Weights decide how often an index comes, and one without weight never does', () => {
  const random = createRandom(9)
  const counts = [0, 0, 0]
  for (let i = 0; i < 4000; i++) counts[weightedIndex(random, [1, 0, 3])]++
  expect(counts[1]).toBe(0)
  expect(counts[2] / counts[0]).toBeGreaterThan(2.5)
  expect(counts[2] / counts[0]).toBeLessThan(3.5)
})
