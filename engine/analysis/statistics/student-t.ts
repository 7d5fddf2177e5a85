import { mean, type Values } from './descriptive.ts'

/** A mean with its 95 % interval; NaN for too few values. */
type MeanInterval = { n: number; mean: number; sd: number; low: number; high: number }

/**
 * Returns the mean, the sample standard deviation, and the 95 % interval of the mean by Student's t: mean ± t · sd /
 * √n, with n − 1 degrees of freedom (Student, 1908).
 */
export function meanInterval(values: Values): MeanInterval {
  const [n, middle] = [values.length, mean(values)]
  if (n < 2) return { n, mean: middle, sd: Number.NaN, low: Number.NaN, high: Number.NaN }
  let squares = 0
  for (let i = 0; i < n; i++) squares += (values[i] - middle) ** 2
  const sd = Math.sqrt(squares / (n - 1))
  const half = (quantileOf95(n - 1) * sd) / Math.sqrt(n)
  return { n, mean: middle, sd, low: middle - half, high: middle + half }
}

const known = new Map<number, number>()

/** Returns the two-sided 95 % quantile of Student's distribution: the t with P(−t < T < t) = 0.95. */
export function quantileOf95(df: number): number {
  const before = known.get(df)
  if (before !== undefined) return before
  let [low, high] = [1, 13]
  // Bisection until no double lies between the bounds.
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (probabilityWithin(middle, df) < 0.95) low = middle
    else high = middle
  }
  known.set(df, high)
  return high
}

/**
 * Returns P(−t < T < t) of Student's distribution (Abramowitz and Stegun, 1964, 26.7.3 and 26.7.4).
 *
 * @param df whole, from 1
 */
export function probabilityWithin(t: number, df: number): number {
  const angle = Math.atan(t / Math.sqrt(df))
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const isOdd = df % 2 === 1
  let [term, sum] = [isOdd ? cosine : 1, 0]
  for (let k = isOdd ? 3 : 2; k <= df && term > 1e-18; k += 2) {
    sum += term
    term *= ((k - 1) / k) * cosine * cosine
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum
}
