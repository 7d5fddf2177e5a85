import { type FixationSettings, type Fixations, NO_STEPS } from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze } from '../gaze.ts'
import { detectByAdaptiveVelocity } from './adaptive-detector.ts'
import { detectByDispersion } from './dispersion-detector.ts'
import { detectByTwoMeans } from './i2mc-detector.ts'
import type { Seen } from './positions-in.ts'
import { detectByVelocity } from './velocity-detector.ts'

const DETECT = {
  velocity: detectByVelocity,
  dispersion: detectByDispersion,
  adaptive: detectByAdaptiveVelocity,
  i2mc: detectByTwoMeans,
}

/**
 * Finds the fixations of a test, and the saccades between them, with the detector of the settings.
 *
 * @param gaze denoised
 * @param display displayed rectangle; null only without samples
 * @param fixations overwritten; grown if too short
 * @param seen samples from which the gaze was computed, for detectors that use both eyes, and the screen, for
 *   thresholds in degrees; throws if they are needed and missing
 */
export function detectFixations(
  gaze: Gaze,
  display: DisplayRectanglePx | null,
  settings: FixationSettings,
  fixations: Fixations,
  seen: Seen = { samples: null, screen: null },
): void {
  fixations.n = 0
  Object.assign(fixations.steps, NO_STEPS)
  if (display !== null) DETECT[settings.detector](gaze, display, settings, fixations, seen)
}
