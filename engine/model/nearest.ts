/** Returns the known name that differs least, if it differs by at most a third of its letters. */
export function nearest(name: string, known: readonly string[]): { nearest?: string } {
  const mostOf = (candidate: string) => Math.max(2, candidate.length / 3)
  const ranked = known
    // The edit distance is at least the difference in length.
    .filter((candidate) => Math.abs(candidate.length - name.length) <= mostOf(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= mostOf(best.candidate) ? { nearest: best.candidate } : {}
}

/** Returns the end of a sentence about a misspelt name; empty without a near one. */
export function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean ${near}?`
}

/**
 * Returns the Levenshtein distance, computed two rows at a time. Names longer than 64 letters are compared by their
 * first 64.
 */
function editDistance(a: string, b: string): number {
  a = a.slice(0, 64)
  b = b.slice(0, 64)
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    previous = row
  }
  return previous[b.length]
}
