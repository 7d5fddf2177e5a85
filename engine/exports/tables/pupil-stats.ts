import { gazeSets } from '../../compute/aoi-grid.ts'
import { distinctTimes } from '../../compute/distinct-times.ts'
import { measureStats, type PupilStats } from '../../compute/pupils/pupil-stats.ts'
import { type Cells, column, fractions, microseconds, wholes } from '../../model/columns.ts'
import { aoiId, aoiName } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import type { ExportContext, TestRun } from '../columns/test-context.ts'
import { PUPIL_COLUMNS, PUPIL_SETTINGS, PUPIL_UNIT, pupilOf } from '../columns/test-pupil.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

export const pupilStats: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'pupil-stats',
  path: 'eye-tracking/pupil-stats',
  title: 'Pupil stats',
  rowPer: 'test, and test and AOI',
  listed: ['movingMedianRangeMs', ...PUPIL_SETTINGS],
  takesPupil: true,
  takesWindow: true,
  isAsRecorded: true,
  columns: [
    { ...aoiId, meaning: 'The AOI that gaze is in; empty for the whole test', missing: '' },
    { ...aoiName, missing: '' },
    column('pupil_point_count', 'int', 'points', 'Distinct times of samples from item onset on, with gaze in the AOI'),
    column('pupil_valid_percents', 'number', '% of the points', 'Those with a size', ''),
    column(
      'pupil_interpolated_percents',
      'number',
      '% of the points',
      'Those with a size that was interpolated for an eye',
      '',
    ),
    column('pupil_baseline', 'number', PUPIL_UNIT, 'Baseline of the test', ''),
    column('pupil_mean', 'number', PUPIL_UNIT, 'Mean size', ''),
    column('pupil_mean_above_baseline', 'number', PUPIL_UNIT, 'The same minus the baseline', ''),
    column('pupil_peak', 'number', PUPIL_UNIT, 'Greatest size', ''),
    column('pupil_peak_above_baseline', 'number', PUPIL_UNIT, 'The same minus the baseline', ''),
    column('pupil_peak_at_ms', 'int', 'ms', 'When it is first reached, from item onset', ''),
  ],
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', ...PUPIL_COLUMNS],
  estimateBytes: ({ tests, aoiTests, aoiTestBytes }) => tests * 400 + aoiTests * 400 + aoiTestBytes,
  compute: (run, context) => {
    const measured = pupilOf(run, context)
    if (measured === null) return null
    const { recorded, pupil } = measured
    const aois = context.aoisOf(run.identity.item)
    const before = onsetOf(recorded.tUs, recorded.n)
    const found = aoisAtTimes(run, context)
    const stats = measureStats(recorded.tUs, pupil, context.window, aois.n, (i) => found(i - before))
    const numbers = (value: (each: PupilStats) => number) => Float64Array.from(stats, value)
    const indexes = Int32Array.from(stats, (_, place) => place - 1)
    const cells: Cells[] = [
      { kind: 'texts', dictionary: aois.ids, indexes },
      { kind: 'texts', dictionary: aois.names, indexes },
      wholes(numbers(({ points }) => points)),
      fractions(numbers(({ points, withSize }) => (100 * withSize) / points)),
      fractions(numbers(({ points, interpolated }) => (100 * interpolated) / points)),
      fractions(numbers(() => pupil.baseline)),
      fractions(numbers(({ mean }) => mean)),
      fractions(numbers(({ mean }) => mean - pupil.baseline)),
      fractions(numbers(({ peak }) => peak)),
      fractions(numbers(({ peak }) => peak - pupil.baseline)),
      microseconds(numbers(({ peakUs }) => peakUs)),
    ]
    return { n: stats.length, cells }
  },
})

/** Returns the index of the first point from item onset on. */
function onsetOf(tUs: Float64Array, n: number): number {
  let i = 0
  while (i < n && tUs[i] < 0) i++
  return i
}

const NOWHERE: readonly number[] = []

/** Returns a function from a distinct time, from item onset on, to the AOIs that contain the gaze then. */
function aoisAtTimes(run: TestRun, context: ExportContext): (time: number) => readonly number[] {
  const { item } = run.identity
  if (context.aoisOf(item).n === 0) return () => NOWHERE
  const gaze = context.gazeOf(run)
  const { n, point } = distinctTimes(run.samples, gaze)
  const indexes = new Int32Array(n)
  const sets = gazeSets(context.aoiGridOf(item), gaze, point, indexes)
  return (time) => (indexes[time] === -1 ? NOWHERE : sets[indexes[time]])
}
