import { seeded } from '../../../isomorphic/random.ts'
import { choose, drawFirst } from './arrangements.ts'
import { mean, type Values } from './descriptive.ts'
import type { TestResult } from './test-result.ts'

/** Largest number of arrangements that are enumerated; beyond that, this many are drawn at random. */
export const ARRANGEMENTS_MAX = 20_000

/**
 * Tests whether the means of two groups differ by permuting the values between the groups: all arrangements if there
 * are at most 20,000, otherwise that many random ones (Phipson and Smyth, 2010: p is never 0).
 *
 * @param a, b at least one value each
 * @returns the difference of the means
 */
export function permutationTest(a: Values, b: Values, seed: number): TestResult {
  const all = [...Array.from(a), ...Array.from(b)]
  const total = all.reduce((sum, value) => sum + value, 0)
  const differenceOf = (sumA: number) => sumA / a.length - (total - sumA) / b.length
  const statistic = mean(a) - mean(b)
  // Sums in another order may differ in the last bits.
  const least = Math.abs(statistic) * (1 - 1e-9)
  if (choose(all.length, a.length) <= ARRANGEMENTS_MAX) {
    let [asLarge, count] = [0, 0]
    const go = (from: number, left: number, sum: number): void => {
      if (left === 0) {
        count++
        if (Math.abs(differenceOf(sum)) >= least) asLarge++
        return
      }
      for (let i = from; i <= all.length - left; i++) go(i + 1, left - 1, sum + all[i])
    }
    go(0, a.length, 0)
    return { statistic, p: asLarge / count, isExact: true }
  }
  const random = seeded(seed)
  let asLarge = 0
  for (let round = 0; round < ARRANGEMENTS_MAX; round++) {
    drawFirst(a.length, all, random)
    let sum = 0
    for (let i = 0; i < a.length; i++) sum += all[i]
    if (Math.abs(differenceOf(sum)) >= least) asLarge++
  }
  return { statistic, p: (asLarge + 1) / (ARRANGEMENTS_MAX + 1), isExact: false }
}
