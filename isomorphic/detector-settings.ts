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
