import { aoisOfFixations, visitsOf } from '../../compute/visits.ts'
import { column, microseconds, wholes } from '../../model/columns.ts'
import { roundToMs } from '../../text/numbers.ts'
import { aoiId, aoiName } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
import { FIXATION_FILTER } from './fixations.ts'

export const aoiVisits: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'aoi-visits',
  path: 'eye-tracking/aois-all/visits',
  title: 'AOI visits',
  rowPer: 'test, AOI and visit',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    aoiId,
    aoiName,
    column('visit_index', 'int', '', 'Order within the test and the AOI, from 1'),
    column('visit_starts_at_ms', 'int', 'ms', 'Start of its first fixation, from item onset'),
    column('visit_ends_at_ms', 'int', 'ms', 'End of its last fixation, from item onset'),
    column('visit_duration_ms', 'int', 'ms', 'From its start to its end'),
    column('visit_dwell_ms', 'int', 'ms', 'Dwell time: sum of the durations of its fixations'),
    column('visit_fixation_count', 'int', 'fixations', 'Its fixations, consecutive ones of the test'),
    column('visit_first_fixation_index', 'int', '', 'Its first fixation: order within the test, from 1'),
  ],
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, aoiTests }) => samples * 40 + aoiTests * 40,
  compute: (run, context) => {
    const { item } = run.identity
    const aois = context.aoisOf(item)
    if (aois.n === 0) return null
    const found = context.fixationsOf(run, context.gazeOf(run))
    const visits = visitsOf(aoisOfFixations(context.aoiGridOf(item), found), found)
    const numbers = (value: (visit: (typeof visits)[number]) => number) => Float64Array.from(visits, value)
    const indexes = Int32Array.from(visits, ({ aoi }) => aoi)
    const startsUs = numbers(({ first }) => found.startUs[first])
    const endsUs = numbers(({ last }) => found.endUs[last])
    const cells = [
      { kind: 'texts' as const, dictionary: aois.ids, indexes },
      { kind: 'texts' as const, dictionary: aois.names, indexes },
      wholes(numbers(({ index }) => index)),
      microseconds(startsUs),
      microseconds(endsUs),
      wholes(endsUs.map((us, v) => roundToMs(us) - roundToMs(startsUs[v]))),
      microseconds(numbers(({ dwellUs }) => dwellUs)),
      wholes(numbers(({ first, last }) => last - first + 1)),
      wholes(numbers(({ first }) => context.fixationsBefore() + first + 1)),
    ]
    return { n: visits.length, cells }
  },
})
