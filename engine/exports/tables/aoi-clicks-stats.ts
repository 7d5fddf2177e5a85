import { clicksByAoi } from '../../compute/aoi-grid.ts'
import { column, microseconds, wholes } from '../../model/columns.ts'
import { AOI_DEGREES, aoiDegreeCells } from '../columns/aoi-degrees.ts'
import { aoiColumns } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_AND_PARTICIPANT, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** Names and positions of its columns are fixed: test/engine/exports/fixed-columns.test.ts. */
export const aoiClicksStats: ExportEntry = {
  name: 'aoi-clicks-stats',
  path: 'eye-tracking/aois-all/clicks-stats',
  variant: null,
  title: 'AOI clicks stats per participant',
  rowPer: 'test and AOI',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    ...ITEM_AND_PARTICIPANT,
    ...aoiColumns('aoi_size_percents'),
    column('aoi_click_total_count', 'int', 'clicks', 'Clicks in the AOI'),
    column('aoi_click_time_to_first_click_ms', 'int', 'ms', 'Time to first click, from item onset', ''),
    NOTES,
  ],
  extras: { degrees: AOI_DEGREES },
  needsAois: true,
  reads: ['scrollYPx', 'clicks'],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 280 + aoiTestBytes,
  kind: 'rows',
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
      ...identityCells(ITEM_AND_PARTICIPANT, identity),
      ...context.aoiCellsOf(identity.item),
      wholes(count),
      microseconds(firstUs),
      ...aoiDegreeCells(run, context),
      NO_NOTES,
    ]
    return { n: aois.n, cells }
  },
}
