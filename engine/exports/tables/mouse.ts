import { column, flags, fractions, microseconds } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { mousePercents } from '../columns/item-percents.ts'
import { anglesOfSamples, degreeColumns, wantsDegrees } from '../columns/position-degrees.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

const PERCENT = '% of the displayed item'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const mouse: ExportEntry = exportOfTests(PARTICIPANT_AND_TEST, {
  name: 'mouse',
  path: 'eye-tracking/gazes/raw',
  variant: 'mouse',
  title: 'Mouse position and clicks',
  rowPer: 'sample',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  timeColumn: 'mouse_timestamp_ms',
  columns: [
    column('mouse_timestamp_ms', 'int', 'ms', 'Time of the sample, from item onset'),
    column('mouse_x_px', 'number', 'px', 'Mouse x in the browser window, from the left', ''),
    column('mouse_y_px', 'number', 'px', 'Mouse y in the browser window, from the top', ''),
    column('mouse_x_percents', 'number', PERCENT, 'Mouse x on the displayed item, from the left', ''),
    column(
      'mouse_y_percents',
      'number',
      PERCENT,
      'Mouse y on the displayed item, from the top, including scrolling',
      '',
    ),
    column('scroll_y_px', 'number', 'px', 'How far the page was scrolled down'),
    column('is_click', 'boolean', '', 'Whether the mouse was clicked'),
  ],
  extras: { degrees: degreeColumns('mouse', 'the mouse') },
  reads: ['scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ samples }) => samples * 310,
  leastRows: (counts) => counts.samples,
  compute: (run, context) => {
    const { identity, samples } = run
    const { n, tUs, scrollYPx, mouseXPx, mouseYPx, isClick } = samples
    const { xPercent, yPercent } = mousePercents(samples, identity.test.display)
    const cells = [
      microseconds(tUs),
      fractions(mouseXPx),
      fractions(mouseYPx),
      fractions(xPercent),
      fractions(yPercent),
      fractions(scrollYPx),
      flags(isClick),
      ...(wantsDegrees(context) ? Object.values(anglesOfSamples(run, context, mouseXPx, mouseYPx)).map(fractions) : []),
    ]
    return { n, cells }
  },
})
