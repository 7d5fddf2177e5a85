import { isReached, leastPOf } from './arrangements.ts'
import { pairedBootstrap } from './bootstrap.ts'
import { type Comparison, LEAST, SEED } from './compare.ts'
import { mean, quantile } from './descriptive.ts'
import { type FriedmanResult, friedman } from './friedman.ts'
import type { ParticipantValues } from './measures.ts'
import { pairedRankBiserial, wilcoxonSignedRank } from './wilcoxon.ts'

/**
 * A comparison of two conditions within participants: V with its p, and the rank-biserial correlation of the pairs. The
 * effect is null for fewer than three participants, and the test also if so few of them differ that p cannot reach
 * 0.05. Medians and means of empty conditions are NaN.
 */
export type PairedComparison = Omit<Comparison, 'n'> & { n: number }

/**
 * Returns the participants with a value in every condition, in the order of the first, and those values.
 *
 * @returns `values` by condition, each of the length of `participantIds`
 */
export function completeOf(conditions: ParticipantValues[]): { participantIds: string[]; values: Float64Array[] } {
  const maps = conditions.map(
    ({ participantIds, values }) => new Map(participantIds.map((id, i) => [id, values[i]] as const)),
  )
  const participantIds = conditions[0].participantIds.filter((id) => maps.every((values) => values.has(id)))
  return { participantIds, values: maps.map((own) => Float64Array.from(participantIds, (id) => own.get(id)!)) }
}

/**
 * Compares conditions within participants: all by the Friedman test if there are more than two, and each pair by the
 * Wilcoxon test.
 *
 * @param conditions at least two, of equal length, a participant at each index
 */
export function compareWithin(conditions: Float64Array[]): {
  friedman: FriedmanResult | null
  comparisons: PairedComparison[]
} {
  const n = conditions[0].length
  const isEnough = n >= LEAST
  const comparisons = conditions.flatMap((a, first) =>
    conditions.slice(first + 1).map(
      (b, i): PairedComparison => ({
        first,
        second: first + 1 + i,
        n,
        medians: [quantile(a, 0.5), quantile(b, 0.5)],
        means: [mean(a), mean(b)],
        test: isReached(leastPOf('within', differing(a, b))) ? wilcoxonSignedRank(a, b) : null,
        effect: isEnough ? pairedBootstrap(a, b, pairedRankBiserial, SEED) : null,
      }),
    ),
  )
  return { friedman: isEnough && conditions.length > 2 ? friedman(conditions) : null, comparisons }
}

/** Counts the pairs that are not equal: the others are left out of the test. */
function differing(a: Float64Array, b: Float64Array): number {
  return a.reduce((count, value, i) => count + (value === b[i] ? 0 : 1), 0)
}
