import { clicksByAoi } from '../../compute/aoi-grid.ts'
import { column, microseconds, wholes } from '../../model/columns.ts'
import { AOI_DEGREES, aoiDegreeCells } from '../columns/aoi-degrees.ts'
import { aoiColumns } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_PARTICIPANT } from '../columns/identity.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const aoiClicksStats: ExportEntry = exportOfTests(ITEM_AND_PARTICIPANT, {
  name: 'aoi-clicks-stats',
  path: 'eye-tracking/aois-all/clicks-stats',
  title: 'AOI clicks stats per participant',
  rowPer: 'test and AOI',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    ...aoiColumns('aoi_size_percents'),
    column('aoi_click_total_count', 'int', 'clicks', 'Clicks in the AOI'),
    column('aoi_click_time_to_first_click_ms', 'int', 'ms', 'Time to first click, from item onset', ''),
  ],
  extras: { degrees: AOI_DEGREES },
  needsAois: true,
  reads: ['scrollYPx', 'clicks'],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 280 + aoiTestBytes,
  compute: (run, context) => {
    const { identity, samples } = run
    const aois = context.aoisOf(identity.item)
    if (aois.n === 0) return null
    const { count, firstUs } = clicksByAoi(
      context.aoiGridOf(identity.item),
      samples,
      identity.test.display,
      context.window,
    )
    const cells = [
      ...context.aoiCellsOf(identity.item),
      wholes(count),
      microseconds(firstUs),
      ...aoiDegreeCells(run, context),
    ]
    return { n: aois.n, cells }
  },
})
