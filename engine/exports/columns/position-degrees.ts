import type { Positions } from '../../compute/fixation-list.ts'
import type { Gaze } from '../../compute/gaze.ts'
import { fickAngles } from '../../compute/quality/degrees.ts'
import { distancesAt } from '../../compute/quality/distances-at.ts'
import { pointsOnScreen } from '../../compute/quality/gaze-degrees.ts'
import { clearScratch } from '../../compute/quality/scratch.ts'
import { type Column, column } from '../../model/columns.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import { screenOf } from './test-geometry.ts'

/** Azimuths and elevations, in degrees of the visual field; NaN where the position or the geometry is unknown. */
export type Angles = { x: Float64Array; y: Float64Array }

/** Returns the columns of a position in degrees. @param of what it is, with a capital letter */
export function degreeColumns(name: string, of: string): Column[] {
  return [
    column(`${name}_x_deg`, 'number', '°', `Azimuth of ${of} on the screen: 0 is its centre`, ''),
    column(`${name}_y_deg`, 'number', '°', 'Its elevation: down is positive', ''),
  ]
}

/** Returns whether a plan asks for columns in degrees. */
export function wantsDegrees({ plan }: ExportContext): boolean {
  return plan.parameters.extras?.includes('degrees') ?? false
}

/**
 * Returns the angles of positions at a test's samples: docs/metrics.md, "Degrees and exact times".
 *
 * @param xPx, yPx in px of the window, length n
 */
export function anglesOfSamples(
  { samples }: TestRun,
  { facts }: ExportContext,
  xPx: Float64Array,
  yPx: Float64Array,
): Angles {
  const screen = screenOf(samples, facts)
  if (screen === null) return unknown(samples.n)
  clearScratch()
  return kept(fickAngles(screen, { x: xPx, y: yPx }, distancesAt(screen, samples.tUs, samples.n)))
}

/** Returns the angles of the denoised points of a test's gaze. */
export function anglesOfGaze({ samples, identity }: TestRun, { facts }: ExportContext, gaze: Gaze): Angles {
  const { display } = identity.test
  const screen = screenOf(samples, facts)
  if (display === null || screen === null) return unknown(gaze.n)
  clearScratch()
  const percent: Positions = { x: gaze.xPercent, y: gaze.yPercent, stride: 1 }
  const px = pointsOnScreen(samples, gaze, display, percent)
  return kept(fickAngles(screen, px, distancesAt(screen, gaze.tUs, gaze.n)))
}

/** Copies angles from scratch memory. */
function kept({ x, y }: Angles): Angles {
  return { x: x.slice(), y: y.slice() }
}

function unknown(n: number): Angles {
  return { x: new Float64Array(n).fill(Number.NaN), y: new Float64Array(n).fill(Number.NaN) }
}
