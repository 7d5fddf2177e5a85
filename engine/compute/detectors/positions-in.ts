import type { Positions } from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze, Samples } from '../gaze.ts'
import { fickAngles, type ScreenGeometry } from '../quality/degrees.ts'
import { distancesAt } from '../quality/distances-at.ts'
import { pointsOnScreen } from '../quality/gaze-degrees.ts'

/** Recorded samples of a gaze, and the screen on which it was; null where they are not known. */
export type Seen = { samples: Samples | null; screen: ScreenGeometry | null }

/**
 * Returns positions of points as a threshold takes them: in percent of the displayed item or, if the threshold is in
 * degrees, as Fick angles.
 *
 * @param isDegrees true for Fick angles; throws if the samples or the screen are unknown
 * @param percent positions of all points of the gaze
 */
export function positionsIn(
  isDegrees: boolean,
  percent: Positions,
  gaze: Gaze,
  display: DisplayRectanglePx,
  { samples, screen }: Seen,
): Positions {
  if (!isDegrees) return percent
  if (samples === null || screen === null) throw new Error('thresholds in degrees need samples and a screen')
  const px = pointsOnScreen(samples, gaze, display, percent)
  return { ...fickAngles(screen, px, distancesAt(screen, gaze.tUs, gaze.n)), stride: 1 }
}

/** Returns the angle between two positions in Fick angles that are close to each other, in degrees. */
export function angleOf(acrossDeg: number, upDeg: number, elevationDeg: number): number {
  // A degree of azimuth is less than a degree of the visual field, the more so the higher it is.
  const across = acrossDeg * Math.cos((elevationDeg * Math.PI) / 180)
  return Math.sqrt(across * across + upDeg * upDeg)
}
