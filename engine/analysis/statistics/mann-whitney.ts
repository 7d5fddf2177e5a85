import type { Values } from './descriptive.ts'
import { normalTail } from './tails.ts'
import { EXACT_BELOW, type TestResult } from './test-result.ts'

/**
 * Tests whether the values of one group tend to be larger than those of the other (Mann and Whitney, 1947). Exact
 * without ties in groups below 50; otherwise normal with corrections for ties and continuity, like R's `wilcox.test`.
 *
 * @param a, b at least one value each
 * @returns U of `a`: number of pairs in which `a` is larger, with ties as half
 */
export function mannWhitney(a: Values, b: Values): TestResult {
  const [m, n] = [a.length, b.length]
  const sorted = Float64Array.from([...Array.from(a), ...Array.from(b)]).sort()
  let tieSum = 0
  for (let i = 0; i < sorted.length; ) {
    let end = i
    while (end < sorted.length && sorted[end] === sorted[i]) end++
    tieSum += (end - i) ** 3 - (end - i)
    i = end
  }
  const u = (pairBalance(a, b) + m * n) / 2
  if (tieSum === 0 && m < EXACT_BELOW && n < EXACT_BELOW) {
    const counts = arrangementsByU(m, n)
    const total = counts.reduce((sum, count) => sum + count, 0)
    // The distribution is symmetric: the smaller tail, twice.
    const tail = counts.slice(0, Math.round(Math.min(u, m * n - u)) + 1).reduce((sum, count) => sum + count, 0)
    return { statistic: u, p: Math.min(1, (2 * tail) / total), isExact: true }
  }
  const all = m + n
  const deviation = Math.sqrt(((m * n) / 12) * (all + 1 - tieSum / (all * (all - 1))))
  const distance = Math.max(0, Math.abs(u - (m * n) / 2) - 0.5)
  // All values are equal: there is no evidence for a difference.
  const p = deviation === 0 ? 1 : Math.min(1, 2 * normalTail(distance / deviation))
  return { statistic: u, p, isExact: false }
}

const arrangements = new Map<string, number[]>()

/** Counts the arrangements of m and n ranks by U, from 0 to m n. */
function arrangementsByU(m: number, n: number): number[] {
  const known = arrangements.get(`${m} ${n}`)
  if (known !== undefined) return known
  // before[j] counts arrangements of i − 1 and j ranks: the largest rank is either one of the i, above all j, or one of
  // the j.
  let before = Array.from({ length: n + 1 }, () => new Float64Array(m * n + 1))
  for (const counts of before) counts[0] = 1
  for (let i = 1; i <= m; i++) {
    const now = Array.from({ length: n + 1 }, () => new Float64Array(m * n + 1))
    now[0][0] = 1
    for (let j = 1; j <= n; j++) {
      for (let u = 0; u <= i * j; u++) now[j][u] = now[j - 1][u] + (u >= j ? before[j][u - j] : 0)
    }
    before = now
  }
  const counts = [...before[n]]
  arrangements.set(`${m} ${n}`, counts)
  return counts
}

/** Returns Cliff's δ: the share of pairs in which `a` is larger minus the share in which `b` is, −1 to 1. */
export function cliffsDelta(a: Values, b: Values): number {
  return pairBalance(a, b) / (a.length * b.length)
}

/** Counts the pairs in which `a` is larger, minus those in which `b` is. */
function pairBalance(a: Values, b: Values): number {
  const sorted = Float64Array.from(b).sort()
  let sum = 0
  for (let i = 0; i < a.length; i++) {
    const value = a[i]
    const below = firstFrom(sorted, (each) => each >= value)
    const above = firstFrom(sorted, (each) => each > value)
    sum += below - (sorted.length - above)
  }
  return sum
}

/** Returns the first index at which a monotonic condition holds (binary search); the length if it never does. */
function firstFrom(sorted: Float64Array, holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(sorted[middle])) high = middle
    else low = middle + 1
  }
  return low
}
