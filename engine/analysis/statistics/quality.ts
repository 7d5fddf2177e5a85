import { groupBy } from '../../../isomorphic/group-by.ts'
import { type Described, describe, mean, quantile } from './descriptive.ts'

/** Quality measures of a test that are summarized: columns of `quality-stats`. */
export const QUALITY_MEASURES = [
  'data_loss_percents',
  'sampling_rate_hz',
  'precision_window_rms_s2s_percents',
  'gaze_click_distance_median_percents',
  'participant_quality_grade_item',
] as const

/** Summarizes each measure over tests. @param values by measure, by test; NaN if a test has none */
export function describeMeasures(values: Float64Array[]): Described[] {
  return values.map((own) => describe(own.filter((value) => !Number.isNaN(value))))
}

/** Number of tests of a participant, and the median of each measure over those that have it; null if none has. */
type ParticipantQuality = { participantId: string; tests: number; medians: (number | null)[] }

/**
 * Returns the medians over each participant's tests, in order of appearance.
 *
 * @param participantIds of each test, of length n
 * @param values by measure, of length n; NaN if a test has none
 */
export function describeParticipants(participantIds: string[], values: Float64Array[]): ParticipantQuality[] {
  return [...placesBy(participantIds)].map(([participantId, places]) => ({
    participantId,
    tests: places.length,
    medians: values.map((own) => {
      const median = quantile(knownAt(own, places), 0.5)
      return Number.isNaN(median) ? null : median
    }),
  }))
}

/** Mean over the tests with a value at an index, such as a time bin, and their number. */
type MeanAt = { at: number; tests: number; mean: number }

/**
 * Returns the mean of the values at each index, in ascending order.
 *
 * @param at indexes, of length n; NaN for none
 * @param values of length n; NaN for none
 */
export function meansBy(at: Float64Array, values: Float64Array): MeanAt[] {
  return [...placesBy(Array.from(at))]
    .filter(([place]) => !Number.isNaN(place))
    .map(([place, places]) => ({ at: place, known: knownAt(values, places) }))
    .filter(({ known }) => known.length > 0)
    .map(({ at: place, known }) => ({ at: place, tests: known.length, mean: mean(known) }))
    .sort((one, other) => one.at - other.at)
}

function placesBy<Key>(keys: Key[]): Map<Key, number[]> {
  return groupBy(keys.keys(), (i) => keys[i])
}

function knownAt(values: Float64Array, places: number[]): number[] {
  return places.map((i) => values[i]).filter((value) => !Number.isNaN(value))
}
