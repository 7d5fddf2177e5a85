import type { Values } from './descriptive.ts'

/**
 * Ranks values from 1; equal values get the mean of their ranks.
 *
 * @returns `ranks` in the order of the values, and `tieSum`, the sum of t³ − t over groups of t equal values
 */
export function ranked(values: Values): { ranks: Float64Array; tieSum: number } {
  const order = Int32Array.from(values, (_, i) => i).sort((i, j) => values[i] - values[j])
  const ranks = new Float64Array(values.length)
  let tieSum = 0
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end < order.length && values[order[end]] === values[order[start]]) end++
    for (let i = start; i < end; i++) ranks[order[i]] = (start + end + 1) / 2
    tieSum += (end - start) ** 3 - (end - start)
    start = end
  }
  return { ranks, tieSum }
}
