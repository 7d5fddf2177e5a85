import { type Cells, column, wholes } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { PARTICIPANT_AND_TEST } from '../columns/identity.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

/** Exports the events of tests: triggers, responses, messages of the tracker. */
export const events: ExportEntry = exportOfTests(PARTICIPANT_AND_TEST, {
  name: 'events',
  path: 'eye-tracking/events',
  title: 'Events',
  rowPer: 'event',
  listed: ['participantQualityGradeItemMin'],
  columns: [
    column('event_index', 'int', '', 'Order within the test, from 1'),
    column('t_ms', 'number', 'ms', 'Time of the event, from item onset'),
    column('event_name', 'string', '', 'Name of the event', null, { isGuarded: true }),
    column('event_value', 'string', '', 'Its value, if it has one', '', { isGuarded: true }),
  ],
  needsEvents: true,
  reads: [],
  estimateBytes: ({ events: n }) => n * 500,
  compute: ({ identity }, context) => {
    const { tUs, name, value } = context.eventsOf(identity.test)
    const n = tUs.length
    if (n === 0) return null
    const own = [
      wholes(Int32Array.from({ length: n }, (_, i) => i + 1)),
      { kind: 'exact' as const, values: tUs.map((us) => us / 1000) },
      texts(name),
      texts(value),
    ]
    return { n, cells: own }
  },
})

function texts(values: string[]): Cells {
  const dictionary = [...new Set(values.filter((text) => text !== ''))]
  const places = new Map(dictionary.map((text, i) => [text, i]))
  return { kind: 'texts', dictionary, indexes: Int32Array.from(values, (text) => places.get(text) ?? -1) }
}
