/** Tests and estimates for comparing groups of participants. Every value is one participant: fixations are not independent. */

/** A two-sided test; `isExact` says whether p comes from all arrangements, not from an approximation or a sample of them. */
export type TestResult = { statistic: number; p: number; isExact: boolean }
/** An effect size with an interval of 95 %. */
export type Effect = { value: number; low: number; high: number }

/** As in R: from here on in either group, or with ties, the normal approximation is taken. */
const EXACT_BELOW = 50
/** As many arrangements are gone through; of more, as many are drawn. */
const ARRANGEMENTS_MAX = 20_000
const RESAMPLES = 2000

/**
 * Tests whether values of one group tend to be larger than those of the other (Mann and Whitney, 1947). Exact without
 * ties in groups below 50; otherwise normal with corrections for ties and continuity, as `wilcox.test` of R.
 *
 * @param a, b at least one value each
 * @returns U of `a`: pairs in which `a` is larger, ties counting half
 */
export function mannWhitney(a: number[], b: number[]): TestResult {
  const [m, n] = [a.length, b.length]
  const sorted = [...a, ...b].sort((one, other) => one - other)
  let tieSum = 0
  for (let i = 0; i < sorted.length; ) {
    let end = i
    while (end < sorted.length && sorted[end] === sorted[i]) end++
    tieSum += (end - i) ** 3 - (end - i)
    i = end
  }
  const u = (pairBalance(a, b) + m * n) / 2
  if (tieSum === 0 && m < EXACT_BELOW && n < EXACT_BELOW) {
    const counts = arrangementsByU(m, n)
    const total = counts.reduce((sum, count) => sum + count, 0)
    // The distribution is symmetric: the smaller tail, twice.
    const tail = counts.slice(0, Math.round(Math.min(u, m * n - u)) + 1).reduce((sum, count) => sum + count, 0)
    return { statistic: u, p: Math.min(1, (2 * tail) / total), isExact: true }
  }
  const all = m + n
  const deviation = Math.sqrt(((m * n) / 12) * (all + 1 - tieSum / (all * (all - 1))))
  const distance = Math.max(0, Math.abs(u - (m * n) / 2) - 0.5)
  // All values equal: nothing speaks for a difference.
  const p = deviation === 0 ? 1 : Math.min(1, 2 * normalTail(distance / deviation))
  return { statistic: u, p, isExact: false }
}

const arrangements = new Map<string, number[]>()

/** Counts the arrangements of m and n ranks by U, from 0 to m n. */
function arrangementsByU(m: number, n: number): number[] {
  const known = arrangements.get(`${m} ${n}`)
  if (known !== undefined) return known
  // before[j] is of i − 1 and j ranks: the largest is either one of the i, above all j, or one of the j.
  let before = Array.from({ length: n + 1 }, () => new Float64Array(m * n + 1))
  for (const counts of before) counts[0] = 1
  for (let i = 1; i <= m; i++) {
    const now = Array.from({ length: n + 1 }, () => new Float64Array(m * n + 1))
    now[0][0] = 1
    for (let j = 1; j <= n; j++) {
      for (let u = 0; u <= i * j; u++) now[j][u] = now[j - 1][u] + (u >= j ? before[j][u - j] : 0)
    }
    before = now
  }
  const counts = [...before[n]]
  arrangements.set(`${m} ${n}`, counts)
  return counts
}

/**
 * Tests whether the means of two groups differ, by arranging the values into the groups anew: all arrangements where they
 * are at most 20,000, otherwise as many that are drawn (Phipson and Smyth, 2010: p is never 0).
 *
 * @param a, b at least one value each
 * @returns the difference of the means
 */
export function permutationTest(a: number[], b: number[], seed: number): TestResult {
  const all = [...a, ...b]
  const total = all.reduce((sum, value) => sum + value, 0)
  const differenceOf = (sumA: number) => sumA / a.length - (total - sumA) / b.length
  const statistic = mean(a) - mean(b)
  // Sums in another order may differ in the last bits.
  const least = Math.abs(statistic) * (1 - 1e-9)
  if (choose(all.length, a.length) <= ARRANGEMENTS_MAX) {
    let [asLarge, count] = [0, 0]
    const go = (from: number, left: number, sum: number): void => {
      if (left === 0) {
        count++
        if (Math.abs(differenceOf(sum)) >= least) asLarge++
        return
      }
      for (let i = from; i <= all.length - left; i++) go(i + 1, left - 1, sum + all[i])
    }
    go(0, a.length, 0)
    return { statistic, p: asLarge / count, isExact: true }
  }
  const random = seeded(seed)
  let asLarge = 0
  for (let round = 0; round < ARRANGEMENTS_MAX; round++) {
    let sum = 0
    for (let i = 0; i < a.length; i++) {
      const other = i + Math.floor(random() * (all.length - i))
      ;[all[i], all[other]] = [all[other], all[i]]
      sum += all[i]
    }
    if (Math.abs(differenceOf(sum)) >= least) asLarge++
  }
  return { statistic, p: (asLarge + 1) / (ARRANGEMENTS_MAX + 1), isExact: false }
}

/** Corrects p values for how many there are (Holm, 1979); null stays null and is not counted. */
export function holm(ps: (number | null)[]): (number | null)[] {
  const known = ps.flatMap((p, i) => (p === null ? [] : [{ p, i }])).sort((one, other) => one.p - other.p)
  const corrected = ps.map((): number | null => null)
  let most = 0
  for (const [rank, { p, i }] of known.entries()) {
    most = Math.min(1, Math.max(most, p * (known.length - rank)))
    corrected[i] = most
  }
  return corrected
}

/** Returns Cliff's δ: the share of pairs in which `a` is larger, minus that in which `b` is; −1 to 1. */
export function cliffsDelta(a: number[], b: number[]): number {
  return pairBalance(a, b) / (a.length * b.length)
}

/** Counts the pairs in which `a` is larger, less those in which `b` is. */
function pairBalance(a: number[], b: number[]): number {
  const sorted = Float64Array.from(b).sort()
  let sum = 0
  for (const value of a) {
    const below = firstFrom(sorted, (each) => each >= value)
    const above = firstFrom(sorted, (each) => each > value)
    sum += below - (sorted.length - above)
  }
  return sum
}

/** Returns the first place at which a condition holds that holds for all after it; the length where it never does. */
function firstFrom(sorted: Float64Array, holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(sorted[middle])) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the difference of the means. */
export function meanDifference(a: number[], b: number[]): number {
  return mean(a) - mean(b)
}

/** Returns an effect of two groups with the percentile interval of 2,000 bootstrap samples, each drawn within its group (Efron, 1979). */
export function bootstrap(
  a: number[],
  b: number[],
  effectOf: (a: number[], b: number[]) => number,
  seed: number,
): Effect {
  const random = seeded(seed)
  const drawn = (values: number[]) => values.map(() => values[Math.floor(random() * values.length)])
  const effects = Array.from({ length: RESAMPLES }, () => effectOf(drawn(a), drawn(b)))
  return { value: effectOf(a, b), low: quantile(effects, 0.025), high: quantile(effects, 0.975) }
}

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Returns a quantile, on the line between the values around it (R's type 7); NaN of none. */
export function quantile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  return below + 1 < sorted.length ? low + (sorted[below + 1] - low) * (place - below) : low
}

/** A step of a survival curve: from `t` on, `survival` of those who are watched have not had the event. */
export type SurvivalStep = { t: number; atRisk: number; events: number; survival: number; low: number; high: number }

/**
 * Estimates who has not had an event yet (Kaplan and Meier, 1958), with pointwise intervals of 95 % on the log-log scale
 * (Greenwood's variance), which stay within 0 and 1.
 *
 * @param times of the event, or, where there was none, until when it was waited for; of length n
 * @param hadEvent false where it was not seen: censored; those of an equal time count as at risk
 * @returns a step for each time of an event
 */
export function kaplanMeier(times: number[], hadEvent: boolean[]): SurvivalStep[] {
  const steps: SurvivalStep[] = []
  let [survival, variance] = [1, 0]
  const distinct = [...new Set(times.filter((_, i) => hadEvent[i]))].sort((one, other) => one - other)
  for (const t of distinct) {
    const atRisk = times.filter((time) => time >= t).length
    const events = times.filter((time, i) => time === t && hadEvent[i]).length
    survival *= 1 - events / atRisk
    variance += events / (atRisk * (atRisk - events))
    const spread = survival > 0 ? (1.959963984540054 * Math.sqrt(variance)) / Math.log(survival) : 0
    // At the end, where nobody is left, there is no variance to speak of.
    const [low, high] = survival > 0 ? [survival ** Math.exp(-spread), survival ** Math.exp(spread)] : [0, 0]
    steps.push({ t, atRisk, events, survival, low: Math.min(low, high), high: Math.max(low, high) })
  }
  return steps
}

/** Returns the first time at which half have had the event; null if fewer ever have. */
export function medianSurvival(steps: SurvivalStep[]): number | null {
  return steps.find(({ survival }) => survival <= 0.5 + 1e-12)?.t ?? null
}

/** Returns how likely a standard normal value is above `z`, z ≥ 0. */
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

function choose(n: number, k: number): number {
  let ways = 1
  for (let i = 1; i <= Math.min(k, n - k); i++) ways = (ways * (n - Math.min(k, n - k) + i)) / i
  return ways
}

/** Returns a generator of numbers from 0 to below 1 that is the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
