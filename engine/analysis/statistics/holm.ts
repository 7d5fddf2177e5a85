/** Corrects p values for multiple comparisons (Holm, 1979); null stays null and is not counted. */
export function holm(ps: (number | null)[]): (number | null)[] {
  const known = ps.flatMap((p, i) => (p === null ? [] : [{ p, i }])).sort((one, other) => one.p - other.p)
  const corrected = ps.map((): number | null => null)
  let most = 0
  for (const [rank, { p, i }] of known.entries()) {
    most = Math.min(1, Math.max(most, p * (known.length - rank)))
    corrected[i] = most
  }
  return corrected
}
