/** Selects the AOI that counts for a fixation in several: the first in the order of the study, or the smallest. */
export const AOI_ORDERS = ['study', 'smallest'] as const
export type AoiOrder = (typeof AOI_ORDERS)[number]

/** Returns the place of each AOI in an order, from 0; of equal sizes the first comes first. @param sizes of length n */
export function ranksBySize(sizes: ArrayLike<number>): Int32Array {
  const sorted = Int32Array.from(sizes, (_, a) => a).sort((a, b) => sizes[a] - sizes[b] || a - b)
  const ranks = new Int32Array(sizes.length)
  for (const [rank, a] of sorted.entries()) ranks[a] = rank
  return ranks
}
