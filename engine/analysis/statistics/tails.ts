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

/**
 * Returns the upper tail of the F distribution, P(F > f), f ≥ 0: the regularized incomplete beta function at d / (d + n
 * f) with the parameters d / 2 and n / 2 (Abramowitz and Stegun, 1964, 26.6.2).
 *
 * @param n, d degrees of freedom of numerator and denominator, above 0, not always whole
 */
export function fTail(f: number, n: number, d: number): number {
  return incompleteBeta(d / (d + n * f), d / 2, n / 2)
}

/** Returns I_x(a, b), 0 ≤ x ≤ 1, by its continued fraction (Abramowitz and Stegun, 1964, 26.5.8), Lentz's way. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a
  const least = 1e-300
  const away = (value: number) => (Math.abs(value) < least ? least : value)
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let [c, fraction] = [1, d]
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-16) break
  }
  return front * fraction
}

/** Returns ln Γ(x), x > 0, by Stirling's series from 10 on (Abramowitz and Stegun, 1964, 6.1.41). */
function logGamma(x: number): number {
  let [shift, z] = [0, x]
  for (; z < 10; z++) shift += Math.log(z)
  const inverse = 1 / (z * z)
  let series = 0
  for (const coefficient of STIRLING) series = series * inverse + coefficient
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series / z - shift
}

/** Coefficients B₂ₖ / (2k (2k − 1)) of Stirling's series, from the last to the first. */
const STIRLING = [-3617 / 122_400, 1 / 156, -691 / 360_360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]
