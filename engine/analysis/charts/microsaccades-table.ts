import type { microsaccadesAnswer } from './microsaccades-answer.ts'
import { type AnalysisTable, BIN_STARTS, GROUP, LOCKED_TO, realField, tableOf, wholeField } from './table-fields.ts'

type Microsaccades = Awaited<ReturnType<typeof microsaccadesAnswer>>

/** Returns a row for each group and bin. */
export function microsaccadesTable({ groups, binStartsMs, eventType }: Microsaccades): AnalysisTable {
  type Row = { group: Microsaccades['groups'][number]; bin: number }
  const rows = groups.flatMap((group) => binStartsMs.map((_, bin): Row => ({ group, bin })))
  const rate = (column: 'n' | 'mean' | 'sd' | 'low' | 'high') => (row: Row) => row.group.rate[column][row.bin]
  return tableOf<Row>(rows, groups.map(({ notes }) => notes).join(' | '), [
    [GROUP, ({ group }) => group.filter],
    [LOCKED_TO, () => eventType ?? ''],
    [BIN_STARTS, ({ bin }) => binStartsMs[bin]],
    [wholeField('participant_count', 'participants', 'Participants with gaze of both eyes in the bin'), rate('n')],
    [
      wholeField('microsaccade_count', 'microsaccades', 'Microsaccades that begin in the bin'),
      ({ group, bin }) => group.counts[bin],
    ],
    [
      realField('binocular_gaze_s', 's', 'Time with gaze of both eyes in the bin'),
      ({ group, bin }) => group.seconds[bin],
    ],
    [
      realField('microsaccade_rate_mean_per_s', '1/s', 'Mean over these participants of microsaccades a second'),
      rate('mean'),
    ],
    [realField('microsaccade_rate_sd_per_s', '1/s', 'Its sample standard deviation'), rate('sd')],
    [realField('microsaccade_rate_low_per_s', '1/s', 'Lower limit of the 95 % interval of the mean'), rate('low')],
    [realField('microsaccade_rate_high_per_s', '1/s', 'Upper limit of the 95 % interval of the mean'), rate('high')],
  ])
}
