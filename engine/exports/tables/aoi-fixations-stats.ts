import { fixationsByAoi, gazesByAoi } from '../../compute/aoi-grid.ts'
import { column, microseconds, wholes } from '../../model/columns.ts'
import { AOI_DEGREES, aoiDegreeCells } from '../columns/aoi-degrees.ts'
import { aoiColumns } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_PARTICIPANT } from '../columns/identity.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const aoiFixationsStats: ExportEntry = exportOfTests(ITEM_AND_PARTICIPANT, {
  name: 'aoi-fixations-stats',
  path: 'eye-tracking/aois-all/fixations-stats',
  title: 'AOI fixations stats per participant',
  rowPer: 'test and AOI',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    ...aoiColumns('aoi_size_overall_percents'),
    column('aoi_fixation_total_count', 'int', 'fixations', 'Fixations in the AOI'),
    column('aoi_fixation_ttff_ms', 'int', 'ms', 'Time to first fixation, from item onset', ''),
    column(
      'aoi_fixation_average_total_time_spent_ms',
      'int',
      'ms',
      'Total time spent: sum of the durations of the fixations in the AOI',
    ),
    column('aoi_fixation_average_fixation_duration_ms', 'int', 'ms', 'Mean duration of the fixations in the AOI', ''),
    column('aoi_fixation_first_fixation_duration_ms', 'int', 'ms', 'Duration of the first fixation in the AOI', ''),
    column('aoi_revisits_count', 'int', 'visits', 'Visits of the AOI after the first', ''),
    column('aoi_gaze_total_count', 'int', 'gazes', 'Gaze samples in the AOI'),
    column('aoi_gaze_time_to_first_gaze_at_ms', 'int', 'ms', 'Time to first gaze, from item onset', ''),
    column('aoi_gaze_total_time_spent_ms', 'int', 'ms', 'Sum of the durations of the gazes in the AOI'),
  ],
  extras: {
    degrees: AOI_DEGREES,
    microseconds: [
      column('aoi_fixation_ttff_us', 'int', 'µs', 'Time to first fixation, from item onset, without rounding', '', {
        isLarge: true,
      }),
      column(
        'aoi_fixation_first_fixation_duration_us',
        'int',
        'µs',
        'Duration of that fixation, without rounding',
        '',
        { isLarge: true },
      ),
      column('aoi_fixation_total_time_spent_us', 'int', 'µs', 'Total time spent, without rounding', null, {
        isLarge: true,
      }),
    ],
  },
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 320 + aoiTestBytes,
  compute: (run, context) => {
    const aois = context.aoisOf(run.identity.item)
    if (aois.n === 0) return null
    const gaze = context.gazeOf(run)
    const grid = context.aoiGridOf(run.identity.item)
    const fixations = fixationsByAoi(grid, context.fixationsOf(run, gaze))
    const gazes = gazesByAoi(grid, gaze, context.window)
    const cells = [
      ...context.aoiCellsOf(run.identity.item),
      wholes(fixations.count),
      microseconds(fixations.firstStartUs),
      microseconds(fixations.totalUs),
      microseconds(fixations.totalUs.map((us, a) => us / fixations.count[a])),
      microseconds(fixations.firstDurationUs),
      wholes(Float64Array.from(fixations.revisits, (count) => (count < 0 ? Number.NaN : count))),
      wholes(gazes.count),
      microseconds(gazes.firstUs),
      microseconds(gazes.totalUs),
      ...aoiDegreeCells(run, context),
      ...(context.plan.parameters.extras?.includes('microseconds')
        ? [fixations.firstStartUs, fixations.firstDurationUs, fixations.totalUs].map(wholes)
        : []),
    ]
    return { n: aois.n, cells }
  },
})
