import { column, flags, fractions, microseconds } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { identityCells, PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { anglesOfGaze, degreeColumns, wantsDegrees } from '../columns/position-degrees.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const gazesSplit: ExportEntry = {
  name: 'gazes-split',
  path: 'eye-tracking/gazes/raw-denoises-normalized-split',
  variant: null,
  title: 'Gazes, raw denoised normalized and split',
  rowPer: 'gaze point',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  timeColumn: 'gaze_timestamp_ms',
  columns: [
    ...PARTICIPANT_AND_TEST,
    column('gaze_x_percents', 'number', '% of the displayed item', 'Denoised gaze x, from the left'),
    column('gaze_y_percents', 'number', '% of the displayed item', 'Denoised gaze y, from the top'),
    column('gaze_timestamp_ms', 'int', 'ms', 'Time of the point, from item onset'),
    column('gaze_is_interpolated', 'boolean', '', 'Whether the point was interpolated between two recorded ones'),
    NOTES,
  ],
  extras: { degrees: degreeColumns('gaze', 'the denoised gaze') },
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // At 30 Hz, every second point is interpolated; below that, two of three.
  estimateBytes: ({ samples }) => samples * 2 * 290,
  kind: 'rows',
  compute: (run, context) => {
    const gaze = context.gazeOf(run)
    const { n, tUs, xPercent, yPercent, isInterpolated } = gaze
    const points = [fractions(xPercent), fractions(yPercent), microseconds(tUs), flags(isInterpolated)]
    const further = wantsDegrees(context) ? Object.values(anglesOfGaze(run, context, gaze)).map(fractions) : []
    return { n, cells: [...identityCells(PARTICIPANT_AND_TEST, run.identity), ...points, ...further, NO_NOTES] }
  },
}
