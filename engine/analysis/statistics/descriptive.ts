/** A column of values without NaN; callers drop missing values first. */
export type Values = ArrayLike<number>

/** Returns the mean; NaN for no values. */
export function mean(values: Values): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length
}

/** Returns a quantile by linear interpolation (R's type 7); NaN for no values. */
export function quantile(values: Values, share: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  return below + 1 < sorted.length ? low + (sorted[below + 1] - low) * (place - below) : low
}

/** Descriptive statistics of a column; null without values. The deviation is null for a single value. */
export type Described = {
  n: number
  mean: number | null
  /** Sample standard deviation, with divisor n − 1. */
  sd: number | null
  min: number | null
  q1: number | null
  median: number | null
  q3: number | null
  max: number | null
}

/** Describes a column of values. */
export function describe(values: Values): Described {
  const known = (value: number) => (Number.isFinite(value) ? value : null)
  const [middle, n] = [mean(values), values.length]
  let squares = 0
  for (let i = 0; i < n; i++) squares += (values[i] - middle) ** 2
  const [min, q1, median, q3, max] = [0, 0.25, 0.5, 0.75, 1].map((share) => known(quantile(values, share)))
  return {
    n,
    mean: known(middle),
    sd: known(n < 2 ? Number.NaN : Math.sqrt(squares / (n - 1))),
    min,
    q1,
    median,
    q3,
    max,
  }
}
