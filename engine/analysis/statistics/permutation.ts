import { seeded } from '../../../isomorphic/random.ts'
import { choose, drawFirst, eachArrangement } from './arrangements.ts'
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
  const least = leastOf(statistic, all)
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

/**
 * Tests whether a difference within participants is 0 on average by swapping the conditions of some of them, a sign for
 * each: all arrangements if there are at most 20,000, otherwise that many random ones.
 *
 * @param groups differences of the participants of each group, at least one each
 * @returns the mean of the means of the groups
 */
export function signTest(groups: Values[], seed: number): TestResult {
  const parts = groups.flatMap((own) => Array.from(own, (value) => value / own.length / groups.length))
  const statistic = mean(groups.map(mean))
  const least = leastOf(statistic, parts)
  const n = parts.length
  const isExact = 2 ** n <= ARRANGEMENTS_MAX
  let [asLarge, count] = [0, 0]
  eachArrangement({ design: 'within', n, m: n, permutations: ARRANGEMENTS_MAX, isExact }, seeded(seed), (signs) => {
    let sum = 0
    for (let i = 0; i < n; i++) sum += signs[i] * parts[i]
    if (Math.abs(sum) >= least) asLarge++
    count++
  })
  return { statistic, p: isExact ? asLarge / count : (asLarge + 1) / (count + 1), isExact }
}

/** Returns the size from which a difference counts as equally large: sums in another order differ in the last bits. */
function leastOf(statistic: number, values: Values): number {
  let largest = 0
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]))
  return Math.abs(statistic) * (1 - 1e-9) - 1e-12 * largest
}
