/**
 * A measure of a participant in an AOI: a column of `aoi-fixations-stats`. A measure of lookers has no value for
 * participants who did not look.
 */
export type Measure = { column: string; label: string; of: 'viewers' | 'lookers'; unit: string }

export const MEASURES: Measure[] = [
  { column: 'aoi_fixation_average_total_time_spent_ms', label: 'Dwell time', of: 'viewers', unit: 'ms' },
  { column: 'aoi_fixation_total_count', label: 'Fixations', of: 'viewers', unit: '' },
  { column: 'aoi_fixation_ttff_ms', label: 'Time to first fixation', of: 'lookers', unit: 'ms' },
  { column: 'aoi_fixation_average_fixation_duration_ms', label: 'Mean fixation duration', of: 'lookers', unit: 'ms' },
  {
    column: 'aoi_fixation_first_fixation_duration_ms',
    label: 'Duration of the first fixation',
    of: 'lookers',
    unit: 'ms',
  },
  { column: 'aoi_revisits_count', label: 'Revisits', of: 'lookers', unit: '' },
  { column: 'aoi_gaze_total_time_spent_ms', label: 'Time of gaze', of: 'viewers', unit: 'ms' },
]
