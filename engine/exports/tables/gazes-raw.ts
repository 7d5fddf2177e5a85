import { column, type TupleCells, type TupleField } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_DISPLAY, PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { NOTES } from '../columns/notes.ts'
import { anglesOfSamples, wantsDegrees } from '../columns/position-degrees.ts'
import { degreeTuples, TUPLE_TEST_BYTES, tupleRow, tuplesInDegrees } from '../columns/tuples.ts'

const number = (name: string, unit: string, meaning: string): TupleField => ({ name, type: 'number', unit, meaning })

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const gazesRaw: ExportEntry = {
  name: 'gazes-raw',
  path: 'eye-tracking/gazes/raw',
  variant: 'raw',
  title: 'Gazes, raw',
  rowPer: 'test',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  timeColumn: 'test_raw_data',
  columns: [
    ...PARTICIPANT_AND_TEST,
    column(
      'test_raw_data',
      'json',
      'px, ms',
      'Samples as recorded: [x, y, t, scrollY, mouseX, mouseY], followed by true on a click; null where lost',
      null,
      {
        nested: [
          number('x_px', 'px', 'Gaze x in the browser window, from the left'),
          number('y_px', 'px', 'Gaze y in the browser window, from the top'),
          number('t_ms', 'ms', 'Time of the sample, from item onset'),
          number('scroll_y_px', 'px', 'How far the page was scrolled down'),
          number('mouse_x_px', 'px', 'Mouse x in the browser window, from the left'),
          number('mouse_y_px', 'px', 'Mouse y in the browser window, from the top'),
          { name: 'is_click', type: 'boolean', unit: '', meaning: 'Whether the mouse was clicked' },
        ],
      },
    ),
    ...ITEM_AND_DISPLAY,
    NOTES,
  ],
  extras: { degrees: [tuplesInDegrees('test_raw_data_deg', 'the recorded gaze')] },
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ tests, samples }, { extras }) => tests * TUPLE_TEST_BYTES + samples * (extras ? 105 : 45),
  kind: 'rows',
  compute: (run, context) => {
    const { identity, samples } = run
    const { n, tUs, gazeXPx, gazeYPx, mouseXPx, mouseYPx } = samples
    const fields: TupleCells[] = [
      { kind: 'exact', values: gazeXPx },
      { kind: 'exact', values: gazeYPx },
      { kind: 'exactMs', values: tUs },
      { kind: 'exact', values: samples.scrollYPx },
      { kind: 'exact', values: mouseXPx },
      { kind: 'exact', values: mouseYPx },
      { kind: 'marks', values: samples.isClick },
    ]
    if (!wantsDegrees(context)) return tupleRow(identity, n, fields)
    const gaze = anglesOfSamples(run, context, gazeXPx, gazeYPx)
    return tupleRow(identity, n, fields, degreeTuples(tUs, gaze, anglesOfSamples(run, context, mouseXPx, mouseYPx)))
  },
}
