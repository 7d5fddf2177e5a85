/**
 * Returns the mean in ms, computed exactly and rounded once, halves up: floor((sum / count + 500) / 1000); NaN for a
 * count of 0. Sums are nonnegative.
 */
export function meanMs(sumUs: bigint, count: number): number {
  if (count === 0) return Number.NaN
  return Number((sumUs + 500n * BigInt(count)) / (1000n * BigInt(count)))
}
