import { clicksByAoi } from '../compute/aoi-grid.ts'
import { COMMA, NEWLINE } from '../csv/cells.ts'
import { NUMBER_BYTES, putInteger, putMilliseconds } from '../csv/numbers.ts'
import { append, markNotes, reserve } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { aoiColumns } from './aoi-identity.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { fixedPrefix, P } from './identity.ts'
import { NOTES } from './notes.ts'

export const aoiClicksStats: ExportEntry = {
  name: 'aoi-clicks-stats',
  path: 'eye-tracking/aois-all/clicks-stats',
  variant: null,
  title: 'AOI clicks stats per participant',
  rowPer: 'test and AOI',
  listed: FIXATION_FILTER,
  columns: [
    ...P,
    ...aoiColumns('aoi_size_percents'),
    { name: 'aoi_click_total_count', type: 'int', unit: 'clicks', meaning: 'Clicks in the AOI', missing: null },
    {
      name: 'aoi_click_time_to_first_click_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Time to first click, from item onset',
      missing: '',
    },
    NOTES,
  ],
  reads: ['scrollYPx', 'clicks'],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 280 + aoiTestBytes,
  kind: 'rows',
  writeTest: ({ identity, samples }, context, sink) => {
    const aois = context.aoisOf(identity.item)
    if (aois.length === 0) return
    const prefix = fixedPrefix(P, identity, context.plan.formulaGuard)
    const { count, firstUs } = clicksByAoi(context.aoiGridOf(identity.item), samples, identity.test.display)
    for (const [a, aoi] of aois.entries()) {
      append(sink, prefix)
      append(sink, aoi.prefix)
      reserve(sink, 2 * NUMBER_BYTES + 16)
      const { bytes } = sink
      let at = putInteger(bytes, sink.length, count[a])
      bytes[at++] = COMMA
      if (count[a] > 0) at = putMilliseconds(bytes, at, firstUs[a])
      bytes[at++] = COMMA
      sink.length = at
      markNotes(sink)
      sink.bytes[sink.length++] = NEWLINE
    }
  },
}
