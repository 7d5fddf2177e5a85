/** Settings of each detector alone. */
const OWN = {
  velocity: ['gazeVelocityThreshold'],
  dispersion: ['dispersionThresholdPercent'],
  adaptive: ['adaptiveLambda'],
  i2mc: ['i2mcGapMs', 'i2mcWindowMs', 'i2mcStepMs', 'i2mcCutoffSd', 'i2mcEdgeMad', 'i2mcSeed'],
} as const

export type DetectorName = keyof typeof OWN

/** Names of the detectors of fixations (docs/detectors.md), in their usual order; the first is the default. */
export const DETECTOR_NAMES = Object.keys(OWN) as DetectorName[]

/** Settings that merge fixations, after any detector. */
export const MERGING_SETTINGS = ['mergeGapMs', 'mergeDistancePercent'] as const

/** Thresholds that have another in degrees of the visual field, which replaces them where it is above 0. */
export const IN_DEGREES = {
  gazeVelocityThreshold: 'gazeVelocityThresholdDegPerS',
  dispersionThresholdPercent: 'dispersionThresholdDeg',
  mergeDistancePercent: 'mergeDistanceDeg',
} as const
export type ThresholdInDegrees = (typeof IN_DEGREES)[keyof typeof IN_DEGREES]

/** Returns the names of settings, with those in degrees that are above 0 instead of those that they replace. */
export function withDegrees<T extends string>(
  names: readonly T[],
  settings: Partial<Record<ThresholdInDegrees, number>>,
): (T | ThresholdInDegrees)[] {
  return names.map((name) => {
    const other = name in IN_DEGREES ? IN_DEGREES[name as keyof typeof IN_DEGREES] : undefined
    return other !== undefined && (settings[other] ?? 0) > 0 ? other : name
  })
}

/** Returns the settings that bear on the fixations of a detector, in the order of their steps, without merging. */
export function settingsOfDetector(detector: DetectorName) {
  return [
    'movingMedianRangeMs' as const,
    ...OWN[detector],
    'minFixationDurationMs' as const,
    ...(detector === 'velocity' ? (['maxFixationDurationMs'] as const) : []),
    'saccadeMaxDurationMs' as const,
  ]
}
