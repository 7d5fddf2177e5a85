import { fixationsByAoi, gazesByAoi } from '../compute/aoi-grid.ts'
import { COMMA, NEWLINE } from '../csv/cells.ts'
import { NUMBER_BYTES, putInteger, putMilliseconds } from '../csv/numbers.ts'
import { append, markNotes, reserve } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { aoiColumns } from './aoi-identity.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { fixedPrefix, P } from './identity.ts'
import { NOTES } from './notes.ts'

export const aoiFixationsStats: ExportEntry = {
  name: 'aoi-fixations-stats',
  path: 'eye-tracking/aois-all/fixations-stats',
  variant: null,
  title: 'AOI fixations stats per participant',
  rowPer: 'test and AOI',
  listed: FIXATION_FILTER,
  columns: [
    ...P,
    ...aoiColumns('aoi_size_overall_percents'),
    {
      name: 'aoi_fixation_total_count',
      type: 'int',
      unit: 'fixations',
      meaning: 'Fixations in the AOI',
      missing: null,
    },
    {
      name: 'aoi_fixation_ttff_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Time to first fixation, from item onset',
      missing: '',
    },
    {
      name: 'aoi_fixation_average_total_time_spent_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Total time spent: the sum of the durations of its fixations',
      missing: null,
    },
    {
      name: 'aoi_fixation_average_fixation_duration_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Mean duration of its fixations',
      missing: '',
    },
    {
      name: 'aoi_fixation_first_fixation_duration_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Duration of its first fixation',
      missing: '',
    },
    { name: 'aoi_revisits_count', type: 'int', unit: 'visits', meaning: 'Visits after the first', missing: '' },
    { name: 'aoi_gaze_total_count', type: 'int', unit: 'gazes', meaning: 'Gaze samples in the AOI', missing: null },
    {
      name: 'aoi_gaze_time_to_first_gaze_at_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Time to first gaze, from item onset',
      missing: '',
    },
    {
      name: 'aoi_gaze_total_time_spent_ms',
      type: 'int',
      unit: 'ms',
      meaning: 'Sum of the durations of its gazes',
      missing: null,
    },
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 320 + aoiTestBytes,
  kind: 'rows',
  writeTest: (run, context, sink) => {
    const aois = context.aoisOf(run.identity.item)
    if (aois.length === 0) return
    const gaze = context.gazeOf(run)
    const grid = context.aoiGridOf(run.identity.item)
    const inFixations = fixationsByAoi(grid, context.fixationsOf(run, gaze))
    const inGazes = gazesByAoi(grid, gaze)
    const prefix = fixedPrefix(P, run.identity, context.plan.formulaGuard)
    for (const [a, aoi] of aois.entries()) {
      append(sink, prefix)
      append(sink, aoi.prefix)
      reserve(sink, 9 * NUMBER_BYTES + 16)
      const { bytes } = sink
      let at = putInteger(bytes, sink.length, inFixations.count[a])
      bytes[at++] = COMMA
      if (inFixations.count[a] > 0) at = putMilliseconds(bytes, at, inFixations.firstStartUs[a])
      bytes[at++] = COMMA
      at = putMilliseconds(bytes, at, inFixations.totalUs[a])
      bytes[at++] = COMMA
      if (inFixations.count[a] > 0) at = putMilliseconds(bytes, at, inFixations.totalUs[a] / inFixations.count[a])
      bytes[at++] = COMMA
      if (inFixations.count[a] > 0) at = putMilliseconds(bytes, at, inFixations.firstDurationUs[a])
      bytes[at++] = COMMA
      if (inFixations.count[a] > 0) at = putInteger(bytes, at, inFixations.revisits[a])
      bytes[at++] = COMMA
      at = putInteger(bytes, at, inGazes.count[a])
      bytes[at++] = COMMA
      if (inGazes.count[a] > 0) at = putMilliseconds(bytes, at, inGazes.firstUs[a])
      bytes[at++] = COMMA
      at = putMilliseconds(bytes, at, inGazes.totalUs[a])
      bytes[at++] = COMMA
      sink.length = at
      markNotes(sink)
      sink.bytes[sink.length++] = NEWLINE
    }
  },
}
