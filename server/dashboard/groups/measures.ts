import { mean } from '../../../engine/analysis/descriptive.ts'
import type { TableData } from '../core/api.ts'

/** A measure of a participant in an AOI: a column of `aoi-fixations-stats`. An empty cell is no value: it did not happen. */
export type Measure = { column: string; label: string; unit: string }

export const MEASURES: Measure[] = [
  {
    column: 'aoi_fixation_average_total_time_spent_ms',
    label: 'Dwell time, of viewers',
    unit: 'ms',
  },
  { column: 'aoi_fixation_total_count', label: 'Fixations, of viewers', unit: '' },
  { column: 'aoi_fixation_ttff_ms', label: 'Time to first fixation, of lookers', unit: 'ms' },
  {
    column: 'aoi_fixation_average_fixation_duration_ms',
    label: 'Mean fixation duration, of lookers',
    unit: 'ms',
  },
  {
    column: 'aoi_fixation_first_fixation_duration_ms',
    label: 'Duration of the first fixation, of lookers',
    unit: 'ms',
  },
  { column: 'aoi_revisits_count', label: 'Revisits, of lookers', unit: '' },
  { column: 'aoi_gaze_total_time_spent_ms', label: 'Time of gaze, of viewers', unit: 'ms' },
]

/** Values by participant. */
export type Values = Map<string, number>

/**
 * Returns each participant's value in an AOI: the mean over their tests of the item that have one.
 *
 * @param table rows of `aoi-fixations-stats`
 */
export function valuesIn({ columns, rows }: TableData, aoiId: string, measure: Measure): Values {
  const [who, aoi, what] = ['participant_id', 'aoi_id', measure.column].map((name) => columns.indexOf(name))
  const found = new Map<string, number[]>()
  for (const row of rows) {
    if (row[aoi] !== aoiId || row[what] === '') continue
    const own = found.get(row[who]) ?? []
    own.push(Number(row[what]))
    found.set(row[who], own)
  }
  return new Map([...found].map(([id, values]) => [id, mean(values)]))
}

/** Returns how many participants are in more than one of the groups. */
export function sharedBy(tables: TableData[]): number {
  const seen = new Map<string, number>()
  for (const { columns, rows } of tables) {
    const who = columns.indexOf('participant_id')
    for (const id of new Set(rows.map((row) => row[who]))) seen.set(id, (seen.get(id) ?? 0) + 1)
  }
  return [...seen.values()].filter((times) => times > 1).length
}
