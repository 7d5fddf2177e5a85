import { type Gaze, pointOfSample } from '../../compute/gaze.ts'
import { column, type TupleField } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_DISPLAY, PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { mousePercents } from '../columns/item-percents.ts'
import { NOTES } from '../columns/notes.ts'
import { TUPLE_TEST_BYTES, tupleRow } from '../columns/tuples.ts'

const percents = (name: string, meaning: string): TupleField => ({
  name,
  type: 'number',
  unit: '% of the displayed item',
  meaning,
})

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const gazesNormalized: ExportEntry = {
  name: 'gazes-normalized',
  path: 'eye-tracking/gazes/raw',
  variant: 'normalized',
  title: 'Gazes, normalized',
  rowPer: 'test',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  timeColumn: 'test_normalized_data',
  columns: [
    ...PARTICIPANT_AND_TEST,
    column(
      'test_normalized_data',
      'json',
      '% of the displayed item, ms',
      'A tuple per sample: [x, y, t, mouseX, mouseY] with denoised gaze, followed by true on a click; null where lost',
      null,
      {
        nested: [
          percents('x_percents', 'Denoised gaze x, from the left'),
          percents('y_percents', 'Denoised gaze y, from the top'),
          { name: 't_ms', type: 'number', unit: 'ms', meaning: 'Time of the sample, from item onset' },
          percents('mouse_x_percents', 'Mouse x on the displayed item, from the left'),
          percents('mouse_y_percents', 'Mouse y on the displayed item, from the top, including scrolling'),
          { name: 'is_click', type: 'boolean', unit: '', meaning: 'Whether the mouse was clicked' },
        ],
      },
    ),
    ...ITEM_AND_DISPLAY,
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ tests, samples }) => tests * TUPLE_TEST_BYTES + samples * 60,
  kind: 'rows',
  compute: (run, context) => {
    const { samples, identity } = run
    const gaze = gazeOfSamples(context.gazeOf(run), samples.n)
    const mouse = mousePercents(samples, identity.test.display)
    return tupleRow(identity, samples.n, [
      { kind: 'fractions', values: gaze.xPercent },
      { kind: 'fractions', values: gaze.yPercent },
      { kind: 'exactMs', values: samples.tUs },
      { kind: 'fractions', values: mouse.xPercent },
      { kind: 'fractions', values: mouse.yPercent },
      { kind: 'marks', values: samples.isClick },
    ])
  },
}

/** Returns the denoised gaze at each recorded sample, NaN if it is lost. */
function gazeOfSamples(gaze: Gaze, n: number): { xPercent: Float64Array; yPercent: Float64Array } {
  const [xPercent, yPercent] = [new Float64Array(n), new Float64Array(n)]
  for (let i = 0; i < n; i++) {
    const point = pointOfSample(gaze, i)
    xPercent[i] = point === -1 ? Number.NaN : gaze.xPercent[point]
    yPercent[i] = point === -1 ? Number.NaN : gaze.yPercent[point]
  }
  return { xPercent, yPercent }
}
