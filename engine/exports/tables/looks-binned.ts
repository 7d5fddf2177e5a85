import { countLooks, empiricalLogit, logitWeight } from '../../compute/looks.ts'
import { type Cells, column, fractions, microseconds, wholes } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { looksOf } from '../columns/test-looks.ts'

export const looksBinned: ExportEntry = {
  name: 'looks-binned',
  path: 'eye-tracking/looks-binned',
  variant: null,
  title: 'Looks over time',
  rowPer: 'test (or event), AOI name and time bin',
  listed: ['movingMedianRangeMs', 'binMs', 'denominator'],
  takesWindow: true,
  takesLooks: true,
  columns: [
    ...ITEM_PARTICIPANT_TEST,
    column('event_index', 'int', '', 'Number of the event within the test, from 1; empty from item onset', ''),
    column('event_at_ms', 'int', 'ms', 'Time of the event, from item onset', ''),
    column('event_value', 'string', '', 'Value of the event', '', { isGuarded: true }),
    column('aoi_name', 'string', '', 'Name of AOIs of the item', '', { isGuarded: true }),
    column('bin_index', 'int', '', 'Number of the bin, from 0'),
    column('bin_starts_at_ms', 'int', 'ms', 'Start of the bin, from item onset or the event'),
    column('look_count', 'int', 'times', 'Counted times with gaze in an AOI of that name'),
    column('counted_count', 'int', 'times', 'Times of the bin that count, by the denominator'),
    column('look_proportion', 'number', '0 to 1', 'The former divided by the latter', ''),
    column('look_elog', 'number', 'log odds', 'Empirical logit of the looks', ''),
    column('look_elog_weight', 'number', '', 'Inverse of its variance, the weight of a regression', ''),
    NOTES,
  ],
  needsAois: true,
  needsEvents: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // A row has 400 bytes, and a bin of 100 ms three samples or more at 30 Hz.
  estimateBytes: ({ samples, tests, aoiTests }) => samples * 140 * Math.max(1, aoiTests / Math.max(1, tests)),
  kind: 'rows',
  compute: (run, context) => {
    const found = looksOf(run, context)
    if (found === null) return null
    const { times, places, epochs } = found
    const counts = epochs.map((epoch) => ({ epoch, ...countLooks(times, places, epoch) }))
    const parts = counts.flatMap(({ looks, ...all }) => looks.map((own, k) => ({ ...all, own, place: places[k] })))
    const n = parts.reduce((sum, { bins }) => sum + bins, 0)
    const column = (cellOf: (part: (typeof parts)[number], b: number) => number): Float64Array => {
      const values = new Float64Array(n)
      let row = 0
      for (const part of parts) for (let b = 0; b < part.bins; b++) values[row++] = cellOf(part, b)
      return values
    }
    const indexOf = (cellOf: (part: (typeof parts)[number]) => number) => Int32Array.from(column(cellOf))
    const { fromMs = 0, binMs } = context.plan.parameters
    const cells: Cells[] = [
      ...identityCells(ITEM_PARTICIPANT_TEST, run.identity),
      wholes(column(({ epoch: { event } }) => (event === -1 ? Number.NaN : event + 1))),
      microseconds(column(({ epoch: { event, atUs } }) => (event === -1 ? Number.NaN : atUs))),
      {
        kind: 'texts',
        dictionary: epochs.map(({ value }) => value),
        indexes: indexOf(({ epoch }) => (epoch.value === '' ? -1 : epoch.event)),
      },
      { kind: 'texts', dictionary: context.facts.aoiNames, indexes: indexOf(({ place }) => place) },
      wholes(column(({ bin }, b) => bin[b])),
      wholes(column(({ bin }, b) => fromMs + bin[b] * binMs!)),
      wholes(column(({ own }, b) => own[b])),
      wholes(column(({ counted }, b) => counted[b])),
      fractions(column(({ own, counted }, b) => own[b] / counted[b])),
      fractions(column(({ own, counted }, b) => empiricalLogit(own[b], counted[b]))),
      fractions(column(({ own, counted }, b) => logitWeight(own[b], counted[b]))),
      NO_NOTES,
    ]
    return { n, cells }
  },
}
