import { column, flags, fractions, microseconds } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { anglesOfGaze, degreeColumns, wantsDegrees } from '../columns/position-degrees.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const gazesSplit: ExportEntry = exportOfTests(PARTICIPANT_AND_TEST, {
  name: 'gazes-split',
  path: 'eye-tracking/gazes/raw-denoises-normalized-split',
  title: 'Gazes, raw denoised normalized and split',
  rowPer: 'gaze point',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  timeColumn: 'gaze_timestamp_ms',
  columns: [
    column('gaze_x_percents', 'number', '% of the displayed item', 'Denoised gaze x, from the left'),
    column('gaze_y_percents', 'number', '% of the displayed item', 'Denoised gaze y, from the top'),
    column('gaze_timestamp_ms', 'int', 'ms', 'Time of the point, from item onset'),
    column('gaze_is_interpolated', 'boolean', '', 'Whether the point was interpolated between two recorded ones'),
  ],
  extras: { degrees: degreeColumns('gaze', 'the denoised gaze') },
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // At 30 Hz, every second point is interpolated; below that, two of three.
  estimateBytes: ({ samples }) => samples * 2 * 290,
  compute: (run, context) => {
    const gaze = context.gazeOf(run)
    const { n, tUs, xPercent, yPercent, isInterpolated } = gaze
    const points = [fractions(xPercent), fractions(yPercent), microseconds(tUs), flags(isInterpolated)]
    const further = wantsDegrees(context) ? Object.values(anglesOfGaze(run, context, gaze)).map(fractions) : []
    return { n, cells: [...points, ...further] }
  },
})
