import { kaplanMeier, medianSurvival, type SurvivalStep } from './kaplan-meier.ts'

/** Survival curve of participants who have not looked at an AOI yet. */
type FirstLooks = {
  n: number
  looked: number
  steps: SurvivalStep[]
  medianMs: number | null
  untilMs: number
  /** Numbers at risk: participants who have neither looked nor been censored before each of the times. */
  atRisk: number[]
}

/**
 * Estimates the time to first fixation of an AOI from the first test of each participant on the item. A participant who
 * never looked is censored at the end of that test.
 *
 * @param participants of each test with gaze, of length n, in the order in which they took them
 * @param ttffMs of each test, of length n; NaN without a fixation in the AOI
 * @param untilMs end of each test, of length n; NaN if unknown
 * @param fallbackMs end of tests whose end is unknown
 * @param timesMs at which those at risk are counted
 */
export function firstLooks(
  participants: string[],
  ttffMs: Float64Array,
  untilMs: Float64Array,
  fallbackMs: number,
  timesMs: Float64Array,
): FirstLooks {
  const seen = new Set<string>()
  const times: number[] = []
  const hadEvent: boolean[] = []
  for (const [i, id] of participants.entries()) {
    if (seen.has(id)) continue
    seen.add(id)
    const isLooker = !Number.isNaN(ttffMs[i])
    hadEvent.push(isLooker)
    times.push(isLooker ? ttffMs[i] : Number.isNaN(untilMs[i]) ? fallbackMs : untilMs[i])
  }
  const steps = kaplanMeier(times, hadEvent)
  return {
    n: times.length,
    looked: hadEvent.filter((had) => had).length,
    steps,
    medianMs: medianSurvival(steps),
    atRisk: Array.from(timesMs, (t) => times.filter((own) => own >= t).length),
    untilMs: times.reduce((most, time) => Math.max(most, time), 0),
  }
}
