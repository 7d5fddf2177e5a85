import type { Values } from './descriptive.ts'
import { ranked } from './ranks.ts'
import { normalTail } from './tails.ts'
import { EXACT_BELOW, type TestResult } from './test-result.ts'

/**
 * Tests whether the values of pairs tend to be larger in one member than in the other (Wilcoxon, 1945). Pairs of equal
 * values are left out. Exact without these and without ties below 50 pairs; otherwise normal with corrections for ties
 * and continuity, like R's `wilcox.test(paired = TRUE)`.
 *
 * @param a, b of equal length, a pair at each index
 * @returns V: the sum of the ranks of the pairs in which `a` is larger; p 1 if no pair differs
 */
export function wilcoxonSignedRank(a: Values, b: Values): TestResult {
  const { differences, ranks, tieSum } = signedRanks(a, b)
  const n = differences.length
  let v = 0
  for (let i = 0; i < n; i++) if (differences[i] > 0) v += ranks[i]
  if (n === 0) return { statistic: 0, p: 1, isExact: false }
  const middle = (n * (n + 1)) / 4
  if (n < EXACT_BELOW && tieSum === 0 && n === a.length) {
    const counts = subsetsBySum(n)
    let tail = 0
    for (let sum = 0; sum <= Math.min(v, 2 * middle - v); sum++) tail += counts[sum]
    return { statistic: v, p: Math.min(1, (2 * tail) / 2 ** n), isExact: true }
  }
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24 - tieSum / 48)
  const distance = Math.max(0, Math.abs(v - middle) - 0.5)
  return { statistic: v, p: Math.min(1, 2 * normalTail(distance / deviation)), isExact: false }
}

/**
 * Returns the rank-biserial correlation of pairs: (ranks in favour of `a` − ranks in favour of `b`) / all ranks; 0 if
 * no pair differs (Kerby, 2014).
 */
export function pairedRankBiserial(a: Values, b: Values): number {
  const { differences, ranks } = signedRanks(a, b)
  let [balance, all] = [0, 0]
  for (let i = 0; i < differences.length; i++) {
    balance += Math.sign(differences[i]) * ranks[i]
    all += ranks[i]
  }
  return all === 0 ? 0 : balance / all
}

/** Returns the nonzero differences of pairs, and the ranks of their absolute values. */
function signedRanks(a: Values, b: Values) {
  const differences = Float64Array.from(a, (value, i) => value - b[i]).filter((difference) => difference !== 0)
  return { differences, ...ranked(differences.map(Math.abs)) }
}

/** Counts the subsets of the ranks 1 to n by their sum, from 0 to n (n + 1) / 2. */
function subsetsBySum(n: number): Float64Array {
  const counts = new Float64Array((n * (n + 1)) / 2 + 1)
  counts[0] = 1
  for (let rank = 1; rank <= n; rank++)
    for (let sum = (rank * (rank + 1)) / 2; sum >= rank; sum--) counts[sum] += counts[sum - rank]
  return counts
}
