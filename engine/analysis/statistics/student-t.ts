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

/**
 * Returns the weighted mean with its 95 % interval, as a regression on nothing but a constant has them: with m = Σwx /
 * Σw, m ± t · √(Σw(x − m)² / ((n − 1) Σw)), with n − 1 degrees of freedom.
 *
 * @param weights positive, of the length of the values
 */
export function weightedMeanInterval(values: Values, weights: Values): Omit<MeanInterval, 'sd'> {
  const n = values.length
  let [total, sum] = [0, 0]
  for (let i = 0; i < n; i++) {
    total += weights[i]
    sum += weights[i] * values[i]
  }
  const middle = sum / total
  if (n < 2) return { n, mean: middle, low: Number.NaN, high: Number.NaN }
  let squares = 0
  for (let i = 0; i < n; i++) squares += weights[i] * (values[i] - middle) ** 2
  const half = quantileOf95(n - 1) * Math.sqrt(squares / ((n - 1) * total))
  return { n, mean: middle, low: middle - half, high: middle + half }
}

const known = new Map<string, number>()

/** Returns the two-sided 95 % quantile of Student's distribution: the t with P(−t < T < t) = 0.95. */
export function quantileOf95(df: number): number {
  return studentQuantile(0.95, df)
}

/**
 * Returns a two-sided quantile of Student's distribution: the t with P(−t < T < t) = `within`.
 *
 * @param within from 0 to less than 1 @param df whole, from 1
 */
export function studentQuantile(within: number, df: number): number {
  const key = `${within} ${df}`
  const before = known.get(key)
  if (before !== undefined) return before
  let [low, high] = [0, 1]
  while (probabilityWithin(high, df) < within) [low, high] = [high, 2 * high]
  // Bisection until no double lies between the bounds.
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (probabilityWithin(middle, df) < within) low = middle
    else high = middle
  }
  known.set(key, high)
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
