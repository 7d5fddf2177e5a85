/**
 * Moves labels on a line apart that would overlap, in their order, within a range if they fit.
 *
 * @param at places of the labels, px, in any order
 * @param gapPx minimum distance between two
 * @returns a place for each label, in the order of `at`
 */
export function apart(at: number[], gapPx: number, [least, most]: [least: number, most: number]): number[] {
  const placed = [...at]
  const order = at.map((_, i) => i).sort((i, j) => at[j] - at[i])
  let free = most
  for (const i of order) {
    placed[i] = Math.min(placed[i], free)
    free = placed[i] - gapPx
  }
  // Labels pushed beyond the one end push the others back.
  let taken = least
  for (const i of order.reverse()) {
    placed[i] = Math.max(placed[i], taken)
    taken = placed[i] + gapPx
  }
  return placed
}
