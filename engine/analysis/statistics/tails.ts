/** Returns the upper tail of the standard normal distribution, P(Z > z), z ≥ 0. */
export function normalTail(z: number): number {
  const x = z / Math.SQRT2
  if (x < 2.5) {
    // erf by its series.
    let [term, sum] = [x, x]
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
      term *= (-x * x) / k
      sum += term / (2 * k + 1)
      if (x === 0) break
    }
    return 0.5 - sum / Math.sqrt(Math.PI)
  }
  // erfc by its continued fraction, from the inside out.
  let fraction = 0
  for (let k = 80; k >= 1; k--) fraction = k / 2 / (x + fraction)
  return Math.exp(-x * x) / (2 * Math.sqrt(Math.PI) * (x + fraction))
}

/**
 * Returns the upper tail of the chi-squared distribution, P(X > x), x ≥ 0: the upper incomplete gamma function, which
 * is a finite sum for whole degrees of freedom (Abramowitz and Stegun, 1964, 26.4.4 and 26.4.5).
 *
 * @param df whole, from 1
 */
export function chiSquareTail(x: number, df: number): number {
  const half = x / 2
  const isEven = df % 2 === 0
  let [a, tail] = isEven ? [1, Math.exp(-half)] : [0.5, 2 * normalTail(Math.sqrt(x))]
  let term = isEven ? half * Math.exp(-half) : (Math.sqrt(half) * Math.exp(-half) * 2) / Math.sqrt(Math.PI)
  for (; a < df / 2; a++) {
    tail += term
    term *= half / (a + 1)
  }
  return Math.min(1, tail)
}
