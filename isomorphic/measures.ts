/**
 * A measure of a participant in an AOI: a column of an export with a row for each test and AOI. A measure of lookers
 * has no value for participants who did not look; one of readers has values only for words (docs/reading.md). The
 * values of a column of true and false are 100 and 0 %.
 */
export type Measure = {
  export: 'aoi-fixations-stats' | 'reading'
  column: string
  label: string
  of: 'viewers' | 'lookers' | 'readers'
  unit: string
}

const ofAois = (column: string, label: string, of: 'viewers' | 'lookers', unit: string): Measure => ({
  export: 'aoi-fixations-stats',
  column,
  label,
  of,
  unit,
})
const ofWords = (column: string, label: string, unit: string): Measure => ({
  export: 'reading',
  column,
  label,
  of: 'readers',
  unit,
})

/** Measures of words. */
export const READING_MEASURES: Measure[] = [
  ofWords('first_pass_duration_ms', 'First-pass time', 'ms'),
  ofWords('first_fixation_duration_ms', 'First fixation', 'ms'),
  ofWords('go_past_duration_ms', 'Go-past time', 'ms'),
  ofWords('total_duration_ms', 'Total time', 'ms'),
  ofWords('word_skipped', 'Skipped', '%'),
  ofWords('first_pass_regression', 'First-pass regressions', '%'),
  ofWords('regression_in_count', 'Regressions in', ''),
]

export const MEASURES: Measure[] = [
  ofAois('aoi_fixation_average_total_time_spent_ms', 'Dwell time', 'viewers', 'ms'),
  ofAois('aoi_fixation_total_count', 'Fixations', 'viewers', ''),
  ofAois('aoi_fixation_ttff_ms', 'Time to first fixation', 'lookers', 'ms'),
  ofAois('aoi_fixation_average_fixation_duration_ms', 'Mean fixation duration', 'lookers', 'ms'),
  ofAois('aoi_fixation_first_fixation_duration_ms', 'Duration of the first fixation', 'lookers', 'ms'),
  ofAois('aoi_revisits_count', 'Revisits', 'lookers', ''),
  ofAois('aoi_gaze_total_time_spent_ms', 'Time of gaze', 'viewers', 'ms'),
  ...READING_MEASURES,
]

/** Returns the name of a measure with its unit, such as `Dwell time, ms`. */
export function withUnit({ label, unit }: Pick<Measure, 'label' | 'unit'>): string {
  return unit === '' ? label : `${label}, ${unit}`
}

/** Returns the names of the columns of a measure's averages over participants. */
export function averageColumns({ column, unit }: Measure): { n: string; mean: string; sd: string } {
  const name = column.replace(/_ms$/, '')
  const end = { ms: '_ms', '%': '_percents' }[unit] ?? ''
  return { n: `${name}_n`, mean: `${name}_mean${end}`, sd: `${name}_sd${end}` }
}
