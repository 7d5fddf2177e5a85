import type { Fixations } from '../../compute/fixation-list.ts'
import type { Gaze } from '../../compute/gaze.ts'
import { pupilsOfFixations } from '../../compute/pupils/fixation-pupils.ts'
import { measureFixationDegrees } from '../../compute/quality/gaze-degrees.ts'
import { clearScratch } from '../../compute/quality/scratch.ts'
import { type Cells, type Column, column, fractions, same, wholes } from '../../model/columns.ts'
import type { Extra } from '../../model/parameters.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import { screenOf } from './test-geometry.ts'
import { PUPIL_UNIT, pupilOf } from './test-pupil.ts'

/** Further columns of a fixation. */
export const FIXATION_EXTRAS = {
  degrees: [
    column('fixation_point_x_deg', 'number', '°', 'Azimuth of the fixation on the screen: 0 is its centre'),
    column('fixation_point_y_deg', 'number', '°', 'Elevation of the fixation on the screen: positive is down'),
    column('saccade_amplitude_deg', 'number', '°', 'Amplitude of the saccade that leads here, as an angle', ''),
  ],
  microseconds: [
    column('fixation_starts_at_us', 'int', 'µs', 'Start of the fixation, from item onset, without rounding', null, {
      isLarge: true,
    }),
    column('fixation_ends_at_us', 'int', 'µs', 'End of the fixation, from item onset, without rounding', null, {
      isLarge: true,
    }),
    column('fixation_duration_us', 'int', 'µs', 'Duration of the fixation, without rounding', null, { isLarge: true }),
  ],
  pupil: [
    column('fixation_pupil_mean', 'number', PUPIL_UNIT, 'Mean size of the pupil during the fixation, cleaned', ''),
    column('fixation_pupil_mean_recorded', 'number', PUPIL_UNIT, 'The same of the sizes as recorded', ''),
  ],
} satisfies Partial<Record<Extra, Column[]>>

/** Returns the cells of the requested ones of `FIXATION_EXTRAS`. */
export function fixationExtraCells(run: TestRun, context: ExportContext, gaze: Gaze, fixations: Fixations): Cells[] {
  const cellsOf: Record<keyof typeof FIXATION_EXTRAS, () => Cells[]> = {
    degrees: () => degreeCells(run, context, gaze, fixations),
    microseconds: () => timeCells(fixations),
    pupil: () => pupilCells(run, context, fixations),
  }
  const { extras = [] } = context.plan.parameters
  return extras.flatMap((extra) => (isOfFixations(extra) ? cellsOf[extra]() : []))
}

function isOfFixations(extra: Extra): extra is keyof typeof FIXATION_EXTRAS {
  return Object.hasOwn(FIXATION_EXTRAS, extra)
}

function timeCells({ n, startUs, endUs }: Fixations): Cells[] {
  return [startUs, endUs, Float64Array.from({ length: n }, (_, f) => endUs[f] - startUs[f])].map(wholes)
}

function degreeCells(run: TestRun, { facts }: ExportContext, gaze: Gaze, fixations: Fixations): Cells[] {
  const { samples, identity } = run
  const { display } = identity.test
  const screen = screenOf(run.samples, facts)
  if (display === null || screen === null) return FIXATION_EXTRAS.degrees.map(() => same(null))
  clearScratch()
  const { x, y, amplitude } = measureFixationDegrees(samples, gaze, fixations, display, screen)
  return [x, y, amplitude].map(fractions)
}

/** Returns the mean sizes of the pupil; empty cells for a test without sizes. */
function pupilCells(run: TestRun, context: ExportContext, fixations: Fixations): Cells[] {
  const measured = pupilOf(run, context)
  if (measured === null) return FIXATION_EXTRAS.pupil.map(() => same(null))
  const eye = context.plan.parameters.eye ?? 'either'
  const { mean, recorded } = pupilsOfFixations(measured.recorded, measured.pupil, eye, fixations)
  return [mean, recorded].map(fractions)
}
