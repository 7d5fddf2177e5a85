import { isReached, leastPOf, waysOf } from './arrangements.ts'
import { bootstrap, meanDifference } from './bootstrap.ts'
import { mean, quantile, type Values } from './descriptive.ts'
import { holm } from './holm.ts'
import { cliffsDelta, mannWhitney } from './mann-whitney.ts'
import { permutationTest } from './permutation.ts'
import type { Effect, TestResult } from './test-result.ts'

export const TEST_KINDS = ['mann-whitney', 'permutation'] as const
export type TestKind = (typeof TEST_KINDS)[number]

/**
 * A comparison of two groups. The effect is null if either group has fewer than three values, and the test also if
 * groups of these sizes cannot reach a p of 0.05. Medians and means of empty groups are NaN.
 */
export type Comparison = {
  /** Indexes of the groups. */
  first: number
  second: number
  n: [number, number]
  medians: [number, number]
  means: [number, number]
  test: TestResult | null
  /** Cliff's δ, or the difference of the means for the permutation test. */
  effect: Effect | null
}

/** Smallest number of values in a group for a test and an effect. */
export const LEAST = 3
export const SEED = 1

/** Compares each pair of independent groups. @param groups one value for each participant */
export function comparePairs(groups: Float64Array[], kind: TestKind): Comparison[] {
  return groups.flatMap((a, first) =>
    groups.slice(first + 1).map((b, i): Comparison => {
      const isEnough = a.length >= LEAST && b.length >= LEAST
      const isOfMeans = kind === 'permutation'
      return {
        first,
        second: first + 1 + i,
        n: [a.length, b.length],
        medians: [quantile(a, 0.5), quantile(b, 0.5)],
        means: [mean(a), mean(b)],
        test: isEnough && mayReach(a.length, b.length, kind) ? testOf[kind](a, b) : null,
        effect: isEnough ? bootstrap(a, b, isOfMeans ? meanDifference : cliffsDelta, SEED) : null,
      }
    }),
  )
}

const testOf: Record<TestKind, (a: Values, b: Values) => TestResult> = {
  'mann-whitney': mannWhitney,
  permutation: (a, b) => permutationTest(a, b, SEED),
}

/** Returns whether groups of these sizes can reach a p of 0.05. U lies as far from its middle at both ends. */
function mayReach(n: number, m: number, kind: TestKind): boolean {
  return isReached(kind === 'permutation' ? leastPOf('between', n, m) : 2 / waysOf('between', n, m))
}

/** Adds Holm-corrected p to comparisons, over all of them. */
export function withHolm<Compared extends Pick<Comparison, 'test'>>(
  comparisons: Compared[],
): (Compared & { pHolm: number | null })[] {
  const corrected = holm(comparisons.map(({ test }) => test?.p ?? null))
  return comparisons.map((each, i) => ({ ...each, pHolm: corrected[i] }))
}

/** Counts the participants who are in more than one group. @param groups ids, each at most once in a group */
export function countShared(groups: string[][]): number {
  const times = new Map<string, number>()
  for (const ids of groups) for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return [...times.values()].filter((n) => n > 1).length
}
