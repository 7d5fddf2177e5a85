import { column, type TupleField } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_DISPLAY, PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { NOTES } from '../columns/notes.ts'
import { TUPLE_TEST_BYTES, tupleRow } from '../columns/tuples.ts'

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
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ tests, samples }) => tests * TUPLE_TEST_BYTES + samples * 45,
  kind: 'rows',
  compute: ({ identity, samples }) =>
    tupleRow(identity, samples.n, [
      { kind: 'exact', values: samples.gazeXPx },
      { kind: 'exact', values: samples.gazeYPx },
      { kind: 'exactMs', values: samples.tUs },
      { kind: 'exact', values: samples.scrollYPx },
      { kind: 'exact', values: samples.mouseXPx },
      { kind: 'exact', values: samples.mouseYPx },
      { kind: 'marks', values: samples.isClick },
    ]),
}
