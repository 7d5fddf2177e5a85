import { countLooks, empiricalLogit, logitWeight } from '../../compute/looks.ts'
import { type Cells, column, fractions, microseconds, wholes } from '../../model/columns.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { looksOf } from '../columns/test-looks.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'

export const looksBinned: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  name: 'looks-binned',
  path: 'eye-tracking/looks-binned',
  title: 'Looks over time',
  rowPer: 'test (or event), AOI name and time bin',
  listed: ['movingMedianRangeMs', 'binMs', 'denominator'],
  takesWindow: true,
  takesLooks: true,
  columns: [
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
  ],
  needsAois: true,
  needsEvents: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  // A row has 400 bytes, and a bin of 100 ms three samples or more at 30 Hz.
  estimateBytes: ({ samples, tests, aoiTests }) => samples * 140 * Math.max(1, aoiTests / Math.max(1, tests)),
  compute: (run, context) => {
    const found = looksOf(run, context)
    if (found === null) return null
    const { times, places, epochs } = found
    const counts = epochs.map((epoch) => countLooks(times, places, epoch))
    const n = places.length * counts.reduce((sum, { bins }) => sum + bins, 0)
    const { fromMs = 0, binMs } = context.plan.parameters
    const [event, atUs, index, startsMs, looked, ofTimes] = Array.from({ length: 6 }, () => new Float64Array(n))
    const [proportion, elog, weight] = [0, 1, 2].map(() => new Float64Array(n))
    const [value, name] = [new Int32Array(n), new Int32Array(n)]
    let row = 0
    for (const [e, { bins, bin, counted, looks }] of counts.entries()) {
      const own = epochs[e]
      const isOfEvent = own.event !== -1
      for (const [k, ofName] of looks.entries()) {
        const end = row + bins
        event.fill(isOfEvent ? own.event + 1 : Number.NaN, row, end)
        atUs.fill(isOfEvent ? own.atUs : Number.NaN, row, end)
        value.fill(own.value === '' ? -1 : own.event, row, end)
        name.fill(places[k], row, end)
        for (let b = 0; b < bins; b++, row++) {
          const [y, m] = [ofName[b], counted[b]]
          index[row] = bin[b]
          startsMs[row] = fromMs + bin[b] * binMs!
          looked[row] = y
          ofTimes[row] = m
          proportion[row] = y / m
          elog[row] = empiricalLogit(y, m)
          weight[row] = logitWeight(y, m)
        }
      }
    }
    const cells: Cells[] = [
      wholes(event),
      microseconds(atUs),
      { kind: 'texts', dictionary: epochs.map((epoch) => epoch.value), indexes: value },
      { kind: 'texts', dictionary: context.facts.aoiNames, indexes: name },
      ...[index, startsMs, looked, ofTimes].map(wholes),
      ...[proportion, elog, weight].map(fractions),
    ]
    return { n, cells }
  },
})
