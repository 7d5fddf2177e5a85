import type { Values } from './descriptive.ts'
import { ranked } from './ranks.ts'
import { chiSquareTail } from './tails.ts'

/** `kendallsW` is the agreement of the participants, 0 to 1 (Kendall and Babington Smith, 1939). */
export type FriedmanResult = { statistic: number; df: number; p: number; kendallsW: number }

/**
 * Tests whether conditions differ within participants, by ranks within each participant (Friedman, 1937). Corrects for
 * ties and uses the chi-squared approximation, like R's `friedman.test`.
 *
 * @param conditions at least two, of equal length n ≥ 1, a participant at each index
 * @returns p 1 if every participant has equal values
 */
export function friedman(conditions: Values[]): FriedmanResult {
  const k = conditions.length
  const n = conditions[0].length
  const sums = new Float64Array(k)
  let tieSum = 0
  for (let i = 0; i < n; i++) {
    const own = ranked(conditions.map((values) => values[i]))
    tieSum += own.tieSum
    for (let c = 0; c < k; c++) sums[c] += own.ranks[c]
  }
  let squares = 0
  for (const sum of sums) squares += (sum - (n * (k + 1)) / 2) ** 2
  const spread = n * k * (k + 1) - tieSum / (k - 1)
  const statistic = spread === 0 ? 0 : (12 * squares) / spread
  const df = k - 1
  return { statistic, df, p: chiSquareTail(statistic, df), kendallsW: statistic / (n * df) }
}
