export type TimeUnit = 's' | 'ms' | 'us' | 'ns'
export const UNIT_MS: Record<TimeUnit, number> = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 }

/** Sampling intervals of trackers, in ms: 2000 to 4 Hz, with some margin. */
const [STEP_LEAST_MS, STEP_MOST_MS] = [0.4, 250]

/** Returns the only unit in which a step is the sampling interval of a tracker; null for none. */
export function unitOfStep(step: number): TimeUnit | null {
  const units = Object.keys(UNIT_MS) as TimeUnit[]
  const fits = (unit: TimeUnit) => step * UNIT_MS[unit] >= STEP_LEAST_MS && step * UNIT_MS[unit] <= STEP_MOST_MS
  return units.find(fits) ?? null
}
