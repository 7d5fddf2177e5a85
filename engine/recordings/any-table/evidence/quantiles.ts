/** Returns the value below which a share of the numbers lies; NaN for none. @param sorted ascending */
export function valueAt(sorted: Float64Array, share: number): number {
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** Returns the finite numbers of a column, ascending. */
export function sortedNumbers(numbers: Float64Array): Float64Array {
  return numbers.filter((value) => value - value === 0).sort()
}
