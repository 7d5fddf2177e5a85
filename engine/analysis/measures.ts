import { mean } from './descriptive.ts'

/**
 * A measure of a participant in an AOI: a column of `aoi-fixations-stats`. Of lookers it has no value where it did not
 * happen.
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

/** A value for each participant who has one, in the order in which they come. */
export type ParticipantValues = { participantIds: string[]; values: Float64Array }

/**
 * Returns each participant's value: the mean over their tests that have one.
 *
 * @param participantIds of each test, of length n
 * @param values of each test, of length n; NaN for none
 */
export function valuesOfParticipants(participantIds: string[], values: Float64Array): ParticipantValues {
  const found = new Map<string, number[]>()
  for (const [i, id] of participantIds.entries()) {
    if (Number.isNaN(values[i])) continue
    const own = found.get(id)
    if (own) own.push(values[i])
    else found.set(id, [values[i]])
  }
  return { participantIds: [...found.keys()], values: Float64Array.from(found.values(), mean) }
}
