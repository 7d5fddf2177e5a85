import { seeded } from '../../../isomorphic/random.ts'
import { mean, quantile, type Values } from './descriptive.ts'
import type { Effect } from './test-result.ts'

const RESAMPLES = 2000

/** Returns the difference of the means. */
export function meanDifference(a: Values, b: Values): number {
  return mean(a) - mean(b)
}

/**
 * Returns an effect of two groups with the percentile interval of 2,000 bootstrap samples, each drawn within its group
 * (Efron, 1979).
 */
export function bootstrap(a: Values, b: Values, effectOf: (a: Values, b: Values) => number, seed: number): Effect {
  return groupedBootstrap([a, b], ([one, other]) => effectOf(one, other), seed)
}

/** Returns an effect of several groups with its percentile interval; samples are drawn within each group. */
export function groupedBootstrap(groups: Values[], effectOf: (groups: Values[]) => number, seed: number): Effect {
  const random = seeded(seed)
  const drawn = (values: Values) =>
    Float64Array.from({ length: values.length }, () => values[Math.floor(random() * values.length)])
  const effects = Array.from({ length: RESAMPLES }, () => effectOf(groups.map(drawn)))
  return { value: effectOf(groups), low: quantile(effects, 0.025), high: quantile(effects, 0.975) }
}

/**
 * Returns an effect of pairs with its percentile interval; pairs are drawn as a whole.
 *
 * @param a, b of equal length, a pair at each index
 */
export function pairedBootstrap(
  a: Values,
  b: Values,
  effectOf: (a: Values, b: Values) => number,
  seed: number,
): Effect {
  const random = seeded(seed)
  const drawn = () => {
    const places = Array.from({ length: a.length }, () => Math.floor(random() * a.length))
    return effectOf(
      places.map((i) => a[i]),
      places.map((i) => b[i]),
    )
  }
  const effects = Array.from({ length: RESAMPLES }, drawn)
  return { value: effectOf(a, b), low: quantile(effects, 0.025), high: quantile(effects, 0.975) }
}
