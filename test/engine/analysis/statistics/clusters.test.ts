import { expect, test } from 'vitest'
import { type ClusterData, clustersOf, testClusters } from '../../../../engine/analysis/statistics/clusters.ts'

const SETTINGS = { alpha: 0.05, permutations: 1000, seed: 1 }
const values = (...rows: number[][]) => rows.map((row) => Float64Array.from(row))
/** Pairs with these differences in one bin. */
const pairs = (differences: number[]): ClusterData => ({
  design: 'within',
  first: differences.map((d) => Float64Array.of(d)),
  second: differences.map(() => Float64Array.of(0)),
})

test('six differences of one sign are as far from 0 in 2 of 64 arrangements', () => {
  const { bins, clusters, ...how } = testClusters(pairs([1, 2, 3, 4, 5, 6]), SETTINGS)
  // Mean 3.5, variance 3.5: t = 3.5 / √(3.5 / 6); t(0.975, 5) = 2.5706.
  expect(bins.t[0]).toBeCloseTo(Math.sqrt(21), 12)
  expect(bins.threshold[0]).toBeCloseTo(2.570582, 6)
  expect([bins.difference[0], bins.half[0]]).toEqual([3.5, expect.closeTo(2.570582 * Math.sqrt(3.5 / 6), 5)])
  expect(clusters).toEqual([{ start: 0, end: 1, mass: bins.t[0], p: 2 / 64 }])
  expect(how).toEqual({ arrangements: 64, isExact: true, leastP: 2 / 64 })
})

test('groups of four that do not overlap are so in 2 of 70 arrangements', () => {
  const data: ClusterData = {
    design: 'between',
    first: values([11], [12], [13], [14]),
    second: values([1], [2], [3], [4]),
  }
  const { bins, clusters, ...how } = testClusters(data, SETTINGS)
  // Both variances 5 / 3: t = 10 / √(5 / 3 · 1 / 2).
  expect(bins.t[0]).toBeCloseTo(10 / Math.sqrt(5 / 6), 12)
  expect(clusters.map(({ p }) => p)).toEqual([2 / 70])
  expect(how).toEqual({ arrangements: 70, isExact: true, leastP: 2 / 70 })
})

test('neighbouring bins on one side of the threshold are a cluster, whose mass is the sum of t', () => {
  const t = Float64Array.of(3, 2.5, -4, 1, 5, Number.NaN, 6)
  expect(clustersOf(t, new Float64Array(7).fill(2))).toEqual([
    { start: 0, end: 2, mass: 5.5 },
    { start: 2, end: 3, mass: -4 },
    { start: 4, end: 5, mass: 5 },
    { start: 6, end: 7, mass: 6 },
  ])
})

test('the largest cluster of an arrangement counts, so a smaller cluster has a greater p', () => {
  const first = values([1, 0, 2], [2, 0, 1], [3, 0, 3], [4, 0, 1], [5, 0, 4], [6, 0, -1])
  const second = first.map(() => new Float64Array(3))
  const { clusters } = testClusters({ design: 'within', first, second }, { ...SETTINGS, alpha: 0.2 })
  expect(clusters.map(({ start, end }) => [start, end])).toEqual([
    [0, 1],
    [2, 3],
  ])
  // The differences of bin 2 are as far from 0, but for the signs, as those of bin 0 in more arrangements.
  expect(clusters[0].p).toBe(2 / 64)
  expect(clusters[1].p).toBeGreaterThan(2 / 64)
})

test('too few participants for a p of 0.05 have none', () => {
  const five = testClusters(pairs([1, 2, 3, 4, 5]), SETTINGS)
  expect(five.clusters.map(({ p }) => p)).toEqual([null])
  expect(five.leastP).toBe(2 / 32)
  for (const n of [0, 1, 2]) {
    const few = testClusters(pairs([1, 2].slice(0, n)), SETTINGS)
    expect(few.clusters.map(({ p }) => p).filter((p) => p !== null)).toEqual([])
    expect(few.leastP).toBe(n < 2 ? null : 0.5)
  }
  // 2 and 5: 1 of 21 is below 0.05, since the mirror of an arrangement has other sizes.
  const data: ClusterData = { design: 'between', first: values([9], [10]), second: values([1], [2], [3], [4], [5]) }
  expect(testClusters(data, SETTINGS).clusters.map(({ p }) => p)).toEqual([1 / 21])
})

test('equal values have no t and are in no cluster', () => {
  for (const d of [0, 1 / 3]) {
    const { bins, clusters } = testClusters(pairs(Array.from({ length: 8 }, () => d)), SETTINGS)
    expect(bins.t[0]).toBeNaN()
    expect(clusters).toEqual([])
  }
})

test('a participant without a value in a bin is left out there, and an empty group has no t', () => {
  const { NaN: none } = Number
  const first = values([1, none], [2, none], [3, 1], [4, 2], [5, 3], [6, 4], [7, 5])
  const { bins } = testClusters({ design: 'within', first, second: first.map(() => Float64Array.of(0, 0)) }, SETTINGS)
  expect([[...bins.n[0]], [...bins.df]]).toEqual([
    [7, 5],
    [6, 4],
  ])
  expect([...bins.means[0]]).toEqual([4, 3])
  const alone = testClusters({ design: 'between', first, second: [] }, SETTINGS)
  expect([alone.leastP, [...alone.bins.t], alone.clusters]).toEqual([null, [none, none], []])
})

test('random arrangements depend on the seed alone', () => {
  const differences = Array.from({ length: 12 }, (_, i) => ((i * 7) % 12) - 3)
  const of = (seed: number) => testClusters(pairs(differences), { alpha: 0.2, permutations: 200, seed })
  expect(of(1)).toEqual(of(1))
  expect(of(1).isExact).toBe(false)
  expect(of(1).clusters[0].p).not.toBe(of(4).clusters[0].p)
})
