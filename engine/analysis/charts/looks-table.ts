import type { looksAnswer } from './looks-answer.ts'
import {
  type AnalysisField,
  type AnalysisTable,
  BIN_STARTS,
  GROUP,
  LOCKED_TO,
  realField,
  tableOf,
  textField,
  wholeField,
} from './table-fields.ts'

type Looks = Awaited<ReturnType<typeof looksAnswer>>

/** Returns a row for each group, AOI name and bin. */
export function looksTable({ groups, aoiNames, binStartsMs, eventType, denominator }: Looks): AnalysisTable {
  type Row = { group: Looks['groups'][number]; aoi: number; bin: number }
  const rows = groups.flatMap((group) =>
    aoiNames.flatMap((_, aoi) => binStartsMs.map((_, bin): Row => ({ group, aoi, bin }))),
  )
  const proportion = (column: 'n' | 'mean' | 'sd' | 'low' | 'high') => (row: Row) =>
    row.group.looks[row.aoi].proportion[column][row.bin]
  const elog = (column: 'mean' | 'low' | 'high') => (row: Row) => row.group.looks[row.aoi].elog[column][row.bin]
  const limits = (name: string, unit: string, what: string, of: (column: 'low' | 'high') => AnalysisField<Row>[1]) =>
    [
      [realField(`${name}_low`, unit, `Lower limit of the 95 % interval of the ${what}`), of('low')],
      [realField(`${name}_high`, unit, `Upper limit of the 95 % interval of the ${what}`), of('high')],
    ] satisfies AnalysisField<Row>[]
  return tableOf<Row>(rows, groups.map(({ notes }) => notes).join(' | '), [
    [GROUP, ({ group }) => group.filter],
    [LOCKED_TO, () => eventType ?? ''],
    [textField('denominator', 'Times of which looks are a share'), () => denominator],
    [textField('aoi_name', 'Name of the AOIs'), ({ aoi }) => aoiNames[aoi]],
    [BIN_STARTS, ({ bin }) => binStartsMs[bin]],
    [wholeField('participant_count', 'participants', 'Participants with a time that counts'), proportion('n')],
    [realField('look_proportion_mean', '', 'Mean share of looks over these participants'), proportion('mean')],
    [realField('look_proportion_sd', '', 'Its sample standard deviation'), proportion('sd')],
    ...limits('look_proportion', '', 'mean', proportion),
    [realField('look_elog_mean', 'log odds', 'Weighted mean of their empirical logits'), elog('mean')],
    ...limits('look_elog', 'log odds', 'weighted mean', elog),
  ])
}
