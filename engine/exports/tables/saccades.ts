import type { Fixations } from '../../compute/fixation-list.ts'
import type { Gaze } from '../../compute/gaze.ts'
import { measureSaccadeDegrees } from '../../compute/quality/gaze-degrees.ts'
import { clearScratch } from '../../compute/quality/scratch.ts'
import { measureSaccades } from '../../compute/saccades.ts'
import { type Cells, column, fractions, microseconds, same, wholes } from '../../model/columns.ts'
import { roundToPrinted } from '../../text/cells.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { degreeColumns } from '../columns/position-degrees.ts'
import type { ExportContext, TestRun } from '../columns/test-context.ts'
import { screenOf } from '../columns/test-geometry.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
import { FIXATION_FILTER } from './fixations.ts'

const PERCENT = '% of the displayed item'
const SPEED = '% of the displayed item per second'

export const saccades: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'saccades',
  path: 'eye-tracking/saccades',
  title: 'Saccades',
  rowPer: 'saccade',
  listed: FIXATION_FILTER,
  timeColumn: 'saccade_starts_at_ms',
  columns: [
    column('saccade_index', 'int', '', 'Order within the test, from 1'),
    column('saccade_from_fixation_index', 'int', '', 'The fixation that it comes from'),
    column('saccade_to_fixation_index', 'int', '', 'The fixation that it leads to'),
    column('saccade_starts_at_ms', 'int', 'ms', 'End of the fixation before, from item onset'),
    column('saccade_ends_at_ms', 'int', 'ms', 'Start of the fixation after, from item onset'),
    column('saccade_duration_ms', 'int', 'ms', 'From its start to its end'),
    column('saccade_amplitude_percent', 'number', PERCENT, 'Distance between the two fixations'),
    column('saccade_length_px', 'number', 'px', 'The same, on the displayed item'),
    column('saccade_direction_deg', 'number', '°', 'Direction: 0 right, 90 up; empty where nothing has moved', ''),
    column('saccade_from_x_percents', 'number', PERCENT, 'Position of the fixation before, from the left'),
    column('saccade_from_y_percents', 'number', PERCENT, 'The same, from the top'),
    column('saccade_to_x_percents', 'number', PERCENT, 'Position of the fixation after, from the left'),
    column('saccade_to_y_percents', 'number', PERCENT, 'The same, from the top'),
    column('saccade_mean_velocity_percents_per_s', 'number', SPEED, 'Mean velocity at the gaze points between', ''),
    column('saccade_peak_velocity_percents_per_s', 'number', SPEED, 'Greatest velocity at them', ''),
  ],
  extras: {
    degrees: [
      column('saccade_amplitude_deg', 'number', '°', 'Angle between the two fixations', ''),
      column('saccade_mean_velocity_deg_per_s', 'number', '°/s', 'Mean velocity of gaze, over five points', ''),
      column('saccade_peak_velocity_deg_per_s', 'number', '°/s', 'Greatest velocity', ''),
      column('saccade_peak_acceleration_deg_per_s2', 'number', '°/s²', 'Greatest rate of its increase', ''),
      ...degreeColumns('saccade_from', 'the fixation before'),
      ...degreeColumns('saccade_to', 'the fixation after'),
    ],
  },
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples }) => samples * 60,
  compute: (run, context) => {
    const { display } = run.identity.test
    if (display === null) return null
    const gaze = context.gazeOf(run)
    const found = context.fixationsOf(run, gaze)
    const { n, to, directionDeg, meanVelocity, peakVelocity } = measureSaccades(gaze, found, display)
    const numbers = (value: (f: number, s: number) => number) => Float64Array.from(to, value)
    const startsUs = numbers((f) => found.endUs[f - 1])
    const endsUs = numbers((f) => found.startUs[f])
    const cells = [
      wholes(numbers((_, s) => s + 1)),
      wholes(to),
      wholes(numbers((f) => f + 1)),
      microseconds(startsUs),
      microseconds(endsUs),
      wholes(numbers((_, s) => roundToMs(endsUs[s]) - roundToMs(startsUs[s]))),
      fractions(numbers((f) => found.saccadeAmplitudePercent[f])),
      fractions(numbers((f) => found.saccadeLengthPx[f])),
      // A full turn is 0, also if rounding makes it one.
      fractions(directionDeg.map((degrees) => (roundToPrinted(degrees) === 360 ? 0 : degrees))),
      fractions(numbers((f) => found.xPercent[f - 1])),
      fractions(numbers((f) => found.yPercent[f - 1])),
      fractions(numbers((f) => found.xPercent[f])),
      fractions(numbers((f) => found.yPercent[f])),
      fractions(meanVelocity),
      fractions(peakVelocity),
      ...degreeCells(run, context, gaze, found, to),
    ]
    return { n, cells }
  },
})

/** Returns the cells of the further columns in degrees; none unless they are requested. */
function degreeCells(
  run: TestRun,
  { plan, facts }: ExportContext,
  gaze: Gaze,
  found: Fixations,
  to: Int32Array,
): Cells[] {
  if (!plan.parameters.extras?.includes('degrees')) return []
  const { samples, identity } = run
  const { display } = identity.test
  const screen = screenOf(run.samples, facts)
  if (display === null || screen === null) return saccades.extras!.degrees!.map(() => same(null))
  clearScratch()
  const measured = measureSaccadeDegrees(samples, gaze, found, to, display, screen)
  const { amplitude, meanVelocity, peakVelocity, peakAcceleration, fromX, fromY, toX, toY } = measured
  return [amplitude, meanVelocity, peakVelocity, peakAcceleration, fromX, fromY, toX, toY].map(fractions)
}
