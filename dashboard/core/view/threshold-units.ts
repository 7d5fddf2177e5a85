import { IN_DEGREES, type ThresholdInDegrees } from '../../../isomorphic/detector-settings.ts'
import type { Settings } from './chart-settings.ts'

/** Values that thresholds in degrees have at first. */
const FIRST_DEGREES: Record<ThresholdInDegrees, number> = {
  gazeVelocityThresholdDegPerS: 30,
  dispersionThresholdDeg: 1,
  mergeDistanceDeg: 0.5,
}

/**
 * Returns the two units of a threshold that can be in percent or in degrees, in this order, each with the change of
 * settings that chooses it; null for other settings.
 */
export function unitsOf(name: string): { unit: string; change: Partial<Settings> }[] | null {
  const pair = Object.entries(IN_DEGREES).find((each) => each.includes(name as never))
  if (pair === undefined) return null
  const degrees = pair[1]
  const per = degrees.endsWith('PerS') ? '/s' : ''
  return [
    { unit: `%${per}`, change: { [degrees]: 0 } },
    { unit: `°${per}`, change: { [degrees]: FIRST_DEGREES[degrees] } },
  ]
}
