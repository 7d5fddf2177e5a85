import { mean } from './descriptive.ts'

/** Straight line through logarithms: log₁₀ y = intercept + slope × log₁₀ x, with the correlation r; null if unknown. */
type MainSequence = { n: number; slope: number | null; intercept: number | null; r: number | null }

/** Fewest saccades of a line. */
const SACCADES_MIN = 3

/**
 * Fits the main sequence by least squares on the logarithms of amplitudes and peak velocities (docs/microsaccades.md):
 * over saccades whose values are above 0. Null for fewer than three, or if the amplitudes are equal; r, too, if the
 * velocities are.
 */
export function mainSequence(amplitudes: ArrayLike<number>, peaks: ArrayLike<number>): MainSequence {
  const known = Array.from(amplitudes, (_, i) => i).filter((i) => amplitudes[i] > 0 && peaks[i] > 0)
  const [x, y] = [amplitudes, peaks].map((values) => known.map((i) => Math.log10(values[i])))
  const n = known.length
  const [middleX, middleY] = [mean(x), mean(y)]
  let [xx, xy, yy] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    const [dx, dy] = [x[i] - middleX, y[i] - middleY]
    xx += dx * dx
    xy += dx * dy
    yy += dy * dy
  }
  const varies = (squares: number) => squares > 1e-24 * n
  if (n < SACCADES_MIN || !varies(xx)) return { n, slope: null, intercept: null, r: null }
  const slope = xy / xx
  return { n, slope, intercept: middleY - slope * middleX, r: varies(yy) ? xy / Math.sqrt(xx * yy) : null }
}
