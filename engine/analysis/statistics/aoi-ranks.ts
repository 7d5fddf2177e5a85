/** Order in which AOIs rank if a fixation is in several: that of the study, or by size with the smallest first. */
export const AOI_ORDERS = ['study', 'smallest'] as const
export type AoiOrder = (typeof AOI_ORDERS)[number]

/** Returns the rank of each AOI, from 0; at equal sizes, the order of the study decides. @param sizes of length n */
export function ranksBySize(sizes: ArrayLike<number>): Int32Array {
  const sorted = Int32Array.from(sizes, (_, a) => a).sort((a, b) => sizes[a] - sizes[b] || a - b)
  const ranks = new Int32Array(sizes.length)
  for (const [rank, a] of sorted.entries()) ranks[a] = rank
  return ranks
}
