/** A column of values without NaN; missing ones are left out before. */
export type Values = ArrayLike<number>

/** Returns the mean; NaN of none. */
export function mean(values: Values): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length
}

/** Returns a quantile, on the line between the values around it (R's type 7); NaN of none. */
export function quantile(values: Values, share: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  return below + 1 < sorted.length ? low + (sorted[below + 1] - low) * (place - below) : low
}
