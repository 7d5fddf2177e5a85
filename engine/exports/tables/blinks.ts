import { type Cells, column, microseconds, wholes } from '../../model/columns.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { BLINK_SETTINGS, PUPIL_COLUMNS, pupilOf } from '../columns/test-pupil.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

const EYES = ['left', 'right']

export const blinks: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'blinks',
  path: 'eye-tracking/blinks',
  title: 'Blinks',
  rowPer: 'test, eye and blink',
  listed: BLINK_SETTINGS,
  timeColumn: 'blink_starts_at_ms',
  takesPupil: true,
  columns: [
    column('blink_eye', 'string', '', 'Eye whose pupil was covered: left or right'),
    column('blink_index', 'int', '', 'Order within the test and the eye, from 1'),
    column('blink_starts_at_ms', 'int', 'ms', 'Last pupil before the eyelid moved, from item onset'),
    column('blink_ends_at_ms', 'int', 'ms', 'First pupil after the eyelid moved, from item onset'),
    column('blink_duration_ms', 'int', 'ms', 'From its start to its end'),
  ],
  reads: PUPIL_COLUMNS,
  estimateBytes: ({ samples }) => samples * 4,
  compute: (run, context) => {
    const measured = pupilOf(run, context)
    if (measured === null) return null
    const { tUs } = measured.recorded
    const chosen = context.plan.parameters.eye
    const found = EYES.flatMap((eye, e) =>
      (chosen === 'left' || chosen === 'right') && chosen !== eye
        ? []
        : measured.pupil[e === 0 ? 'left' : 'right'].blinks.map((blink, b) => ({ ...blink, e, index: b + 1 })),
    )
    const startsUs = Float64Array.from(found, ({ before }) => tUs[before])
    const endsUs = Float64Array.from(found, ({ after }) => tUs[after])
    const cells: Cells[] = [
      { kind: 'texts', dictionary: EYES, indexes: Int32Array.from(found, ({ e }) => e) },
      wholes(Int32Array.from(found, ({ index }) => index)),
      microseconds(startsUs),
      microseconds(endsUs),
      wholes(endsUs.map((us, b) => roundToMs(us) - roundToMs(startsUs[b]))),
    ]
    return { n: found.length, cells }
  },
})
