/** Returns the median; for an even count, the mean of the middle two; NaN for no values. @param values reordered */
export function medianOf(values: Float64Array): number {
  const n = values.length
  if (n === 0) return Number.NaN
  const upper = smallest(values, n >> 1)
  if (n % 2 === 1) return upper
  let lower = values[0]
  for (let i = 1; i < n >> 1; i++) if (values[i] > lower) lower = values[i]
  return (lower + upper) / 2
}

/**
 * Returns the k-th smallest value, from 0 (Hoare's quickselect); smaller values are then to its left.
 *
 * @param values reordered
 */
export function smallest(values: Float64Array, k: number): number {
  let left = 0
  let right = values.length - 1
  while (left < right) {
    const pivot = middleOfThree(values[left], values[(left + right) >> 1], values[right])
    let [i, j] = [left, right]
    while (i <= j) {
      while (values[i] < pivot) i++
      while (values[j] > pivot) j--
      if (i > j) break
      const value = values[i]
      values[i++] = values[j]
      values[j--] = value
    }
    if (k <= j) right = j
    else if (k >= i) left = i
    else break
  }
  return values[k]
}

function middleOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
