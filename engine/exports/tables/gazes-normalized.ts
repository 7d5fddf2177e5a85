import { type Gaze, pointOfSample } from '../../compute/gaze.ts'
import { column, type TupleCells, type TupleField } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_DISPLAY, PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { mousePercents } from '../columns/item-percents.ts'
import { NOTES } from '../columns/notes.ts'
import { anglesOfGaze, anglesOfSamples, wantsDegrees } from '../columns/position-degrees.ts'
import { degreeTuples, TUPLE_TEST_BYTES, tupleRow, tuplesInDegrees } from '../columns/tuples.ts'

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
  extras: { degrees: [tuplesInDegrees('test_normalized_data_deg', 'the denoised gaze')] },
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ tests, samples }, { extras }) => tests * TUPLE_TEST_BYTES + samples * (extras ? 120 : 60),
  kind: 'rows',
  compute: (run, context) => {
    const { samples, identity } = run
    const points = context.gazeOf(run)
    const gaze = atSamples(points, { x: points.xPercent, y: points.yPercent }, samples.n)
    const mouse = mousePercents(samples, identity.test.display)
    const fields: TupleCells[] = [
      { kind: 'fractions', values: gaze.x },
      { kind: 'fractions', values: gaze.y },
      { kind: 'exactMs', values: samples.tUs },
      { kind: 'fractions', values: mouse.xPercent },
      { kind: 'fractions', values: mouse.yPercent },
      { kind: 'marks', values: samples.isClick },
    ]
    if (!wantsDegrees(context)) return tupleRow(identity, samples.n, fields)
    const ofGaze = atSamples(points, anglesOfGaze(run, context, points), samples.n)
    const ofMouse = anglesOfSamples(run, context, samples.mouseXPx, samples.mouseYPx)
    return tupleRow(identity, samples.n, fields, degreeTuples(samples.tUs, ofGaze, ofMouse))
  },
}

type Pair = { x: Float64Array; y: Float64Array }

/** Returns the values of points at each recorded sample, NaN if it is lost. */
function atSamples(gaze: Gaze, ofPoints: Pair, n: number): Pair {
  const [x, y] = [new Float64Array(n), new Float64Array(n)]
  for (let i = 0; i < n; i++) {
    const point = pointOfSample(gaze, i)
    x[i] = point === -1 ? Number.NaN : ofPoints.x[point]
    y[i] = point === -1 ? Number.NaN : ofPoints.y[point]
  }
  return { x, y }
}
