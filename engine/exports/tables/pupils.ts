import { KEPT, REMOVED_REASONS } from '../../compute/pupils/clean-eye.ts'
import { type Cells, type Column, column, flags, fractions, microseconds } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { PUPIL_COLUMNS, PUPIL_SETTINGS, PUPIL_UNIT, pupilOf } from '../columns/test-pupil.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

const EYES = ['left', 'right', 'both']

function eyeColumns(eye: 'left' | 'right'): Column[] {
  return [
    column(`${eye}_pupil`, 'number', PUPIL_UNIT, `Size of the ${eye} pupil, as recorded`, ''),
    column(
      `${eye}_pupil_removed`,
      'string',
      '',
      'Reason why it was removed: lost, range, eyelid, speed, padding or island; empty where it was kept',
      '',
    ),
    column(`${eye}_pupil_interpolated`, 'boolean', '', 'Whether a size was interpolated in its place'),
  ]
}

export const pupils: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'pupils',
  path: 'eye-tracking/pupils',
  title: 'Pupils',
  rowPer: 'test and distinct time of its samples',
  listed: PUPIL_SETTINGS,
  timeColumn: 'pupil_timestamp_ms',
  takesPupil: true,
  columns: [
    column('pupil_timestamp_ms', 'int', 'ms', 'When, from item onset'),
    ...eyeColumns('left'),
    ...eyeColumns('right'),
    column('pupil_eyes', 'string', '', 'Eyes that the size comes from: left, right or both', ''),
    column('pupil_size', 'number', PUPIL_UNIT, 'Size after all steps', ''),
    column('pupil_above_baseline', 'number', PUPIL_UNIT, 'The same minus the baseline of the test', ''),
  ],
  reads: PUPIL_COLUMNS,
  estimateBytes: ({ samples }) => samples * 280,
  compute: (run, context) => {
    const measured = pupilOf(run, context)
    if (measured === null) return null
    const { recorded, pupil } = measured
    const { n, left, right, eyes, size, baseline } = pupil
    const above = new Float64Array(n)
    for (let i = 0; i < n; i++) above[i] = size[i] - baseline
    const cells: Cells[] = [
      microseconds(recorded.tUs),
      { kind: 'exact', values: recorded.left },
      { kind: 'texts', dictionary: [...REMOVED_REASONS], indexes: before(left.removed, n) },
      flags(left.isInterpolated),
      { kind: 'exact', values: recorded.right },
      { kind: 'texts', dictionary: [...REMOVED_REASONS], indexes: before(right.removed, n) },
      flags(right.isInterpolated),
      { kind: 'texts', dictionary: EYES, indexes: before(eyes, n) },
      fractions(size),
      fractions(above),
    ]
    return { n, cells }
  },
})

/** Converts codes to dictionary indexes by subtracting one: -1 for no text. */
function before(codes: Uint8Array, n: number): Int32Array {
  const indexes = new Int32Array(n)
  for (let i = 0; i < n; i++) indexes[i] = codes[i] - KEPT - 1
  return indexes
}
