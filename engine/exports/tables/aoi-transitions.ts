import { aoisOfFixations, transitionsOf } from '../../compute/visits.ts'
import { type Column, column, fractions, microseconds, wholes } from '../../model/columns.ts'
import { aoiId, aoiName } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** AOI at one end of a transition; empty for gaze outside all AOIs. */
function endColumns(end: 'from' | 'to', meaning: string): Column[] {
  return [
    { ...aoiId, name: `${end}_aoi_id`, meaning: `${meaning}; empty for outside all`, missing: '' },
    { ...aoiName, name: `${end}_aoi_name`, meaning: 'Its name', missing: '' },
  ]
}

export const aoiTransitions: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'aoi-transitions',
  path: 'eye-tracking/aois-all/transitions',
  title: 'AOI transitions',
  rowPer: 'test, AOI left and AOI entered',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    ...endColumns('from', 'The AOI that gaze left'),
    ...endColumns('to', 'The AOI that gaze entered'),
    column('transition_count', 'int', 'transitions', 'How often gaze went from the one to the other'),
    column('transition_probability', 'number', '0 to 1', 'Their share of all transitions that leave the first'),
    column('from_dwell_ms', 'int', 'ms', 'Fixation time of the stays that ended so'),
  ],
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, aoiTests }) => samples * 30 + aoiTests * 60,
  compute: (run, context) => {
    const { item } = run.identity
    const aois = context.aoisOf(item)
    if (aois.n === 0) return null
    const found = context.fixationsOf(run, context.gazeOf(run))
    const transitions = transitionsOf(aoisOfFixations(context.aoiGridOf(item), found), found, aois.n)
    const indexesOf = (end: 'from' | 'to') =>
      Int32Array.from(transitions, (each) => (each[end] === aois.n ? -1 : each[end]))
    const texts = (dictionary: string[], indexes: Int32Array) => ({ kind: 'texts' as const, dictionary, indexes })
    const [from, to] = [indexesOf('from'), indexesOf('to')]
    const cells = [
      texts(aois.ids, from),
      texts(aois.names, from),
      texts(aois.ids, to),
      texts(aois.names, to),
      wholes(Int32Array.from(transitions, ({ count }) => count)),
      fractions(Float64Array.from(transitions, ({ probability }) => probability)),
      microseconds(Float64Array.from(transitions, ({ dwellUs }) => dwellUs)),
    ]
    return { n: transitions.length, cells }
  },
})
