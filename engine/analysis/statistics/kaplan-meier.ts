/** A step of a survival curve: from `t` on, the share `survival` has not had the event. */
export type SurvivalStep = { t: number; atRisk: number; events: number; survival: number; low: number; high: number }

/**
 * Estimates a survival curve (Kaplan and Meier, 1958), with pointwise 95 % intervals on the log-log scale (Greenwood's
 * variance), which stay within 0 and 1.
 *
 * @param times of the event or, without one, of censoring; of length n
 * @param hadEvent false if censored; those censored at the time of an event count as at risk
 * @returns a step for each time with an event
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
    // At the end, where nobody is at risk, the variance is undefined.
    const [low, high] = survival > 0 ? [survival ** Math.exp(-spread), survival ** Math.exp(spread)] : [0, 0]
    steps.push({ t, atRisk, events, survival, low: Math.min(low, high), high: Math.max(low, high) })
  }
  return steps
}

/** Difference of a share from ½ that is due to rounding. */
const ROUNDING = 1e-8

/**
 * Returns the time by which half have had the event: where the curve falls below ½ or, where it stays at ½, the middle
 * of that piece; null if fewer than half ever have it.
 */
export function medianSurvival(steps: SurvivalStep[]): number | null {
  const at = steps.findIndex(({ survival }) => survival <= 0.5 + ROUNDING)
  if (at === -1) return null
  const isFlat = steps[at].survival >= 0.5 - ROUNDING && at + 1 < steps.length
  return isFlat ? (steps[at].t + steps[at + 1].t) / 2 : steps[at].t
}
