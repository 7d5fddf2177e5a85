import type { QualityData } from '../../core/api.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { quoted } from '../../core/people/conditions.ts'
import type { Refused } from '../../core/view/chart-view.ts'

/**
 * Measure of a test's quality: a column of `quality-stats`, in the order of the analysis `quality`. `isLess` means that
 * less is better; `inFilter` is its name in a filter, if it has one.
 */
type QualityMeasure = {
  column: string
  name: string
  label: string
  unit: string
  isLess: boolean
  inFilter?: string
}

export const SHOWN_MEASURES: QualityMeasure[] = [
  {
    column: 'data_loss_percents',
    name: 'loss',
    label: 'Samples without gaze',
    unit: '%',
    isLess: true,
    inFilter: 'test_data_loss_percents',
  },
  {
    column: 'sampling_rate_hz',
    name: 'rate',
    label: 'Samples with gaze per second',
    unit: 'Hz',
    isLess: false,
    inFilter: 'test_sampling_rate_hz',
  },
  {
    column: 'precision_window_rms_s2s_percents',
    name: 'precision',
    label: 'Precision (RMS-S2S)',
    unit: '% of the item',
    isLess: true,
  },
  {
    column: 'gaze_click_distance_median_percents',
    name: 'clicks',
    label: 'Gaze from clicks, median',
    unit: '% of the item',
    isLess: true,
  },
  {
    column: 'participant_quality_grade_item',
    name: 'grade',
    label: 'Quality grade, for webcams',
    unit: '',
    isLess: false,
    inFilter: 'participant_quality_grade_item',
  },
]

/** Place of the grade, the last measure. */
export const GRADE_PLACE = SHOWN_MEASURES.length - 1
const RATE_PLACE = SHOWN_MEASURES.findIndex(({ name }) => name === 'rate')
/** Highest rate for which grades were made: those of webcams and of trackers like them. */
const GRADED_MAX_HZ = 60

/** Returns the measures to show: grades only of recordings as fast as those for which they were made. */
export function qualityMeasures(measures: QualityData['measures']): QualityMeasure[] {
  const { median } = measures[RATE_PLACE]
  return median !== null && median > GRADED_MAX_HZ ? SHOWN_MEASURES.slice(0, GRADE_PLACE) : SHOWN_MEASURES
}

/** Measures with their columns, as terms of the glossary. */
export const QUALITY_WORDS = SHOWN_MEASURES.map(({ column, label }) => ({ of: column, name: label }))

/** Test with its measures; NaN for an empty cell. A test without valid gaze fails every threshold. */
export type QualityTest = {
  participantId: string
  itemId: string
  testId: string
  validCount: number
  values: number[]
}

/** Returns the tests of an answer. */
export function testsOf({ tests }: QualityData): QualityTest[] {
  return tests.map(({ participantId, itemId, testId, validSamples, values }) => ({
    participantId,
    itemId,
    testId,
    validCount: validSamples,
    values: values.map((value) => value ?? Number.NaN),
  }))
}

/** Returns one row per test, as `quality-stats` has it. */
export function qualityNumbers({ tests, measures }: QualityData): Numbers {
  return {
    columns: [
      'participant_id',
      'item_id',
      'test_id',
      'test_item_display_order',
      'valid_sample_count',
      ...measures.map(({ column }) => column),
    ],
    rows: tests.map(({ participantId, itemId, testId, order, validSamples, values }) => [
      participantId,
      itemId,
      testId,
      order,
      validSamples,
      ...values,
    ]),
  }
}

/** Minimum or maximum that a test may have, by measure; null for no limit. */
export type Thresholds = (number | null)[]

/** Reads the thresholds of a link; invalid ones are ignored and reported. */
export function readThresholds(query: URLSearchParams): { thresholds: Thresholds; refused: Refused[] } {
  const refused: Refused[] = []
  const thresholds = SHOWN_MEASURES.map(({ name }) => {
    const text = query.get(name)?.trim() ?? ''
    const value = Number(text)
    if (text === '') return null
    if (Number.isFinite(value) && value >= 0) return value
    refused.push({ name, value: text, rule: 'must be a number from 0 on' })
    return null
  })
  return { thresholds, refused }
}

/**
 * Returns the thresholds that a test fails. A measure without a value, such as clicks, does not count; a test without
 * valid gaze fails every threshold.
 */
export function failuresOf({ validCount, values }: QualityTest, thresholds: Thresholds): number[] {
  return SHOWN_MEASURES.flatMap(({ isLess }, m) => {
    const limit = thresholds[m]
    if (limit === null) return []
    if (validCount === 0) return [m]
    if (Number.isNaN(values[m])) return []
    return (isLess ? values[m] > limit : values[m] < limit) ? [m] : []
  })
}

/** Unit of exclusion: single tests, or participants with more than half of their tests beyond a threshold. */
export type ExclusionUnit = 'tests' | 'participants'

/** Returns the excluded tests. */
export function fallingOut(tests: QualityTest[], thresholds: Thresholds, unit: ExclusionUnit): Set<QualityTest> {
  const failing = new Set(tests.filter((test) => failuresOf(test, thresholds).length > 0))
  if (unit === 'tests') return failing
  const counts = new Map<string, { all: number; failing: number }>()
  for (const test of tests) {
    const own = counts.get(test.participantId) ?? { all: 0, failing: 0 }
    own.all++
    if (failing.has(test)) own.failing++
    counts.set(test.participantId, own)
  }
  const isOut = ({ all, failing: some }: { all: number; failing: number }) => some * 2 > all
  return new Set(tests.filter(({ participantId }) => isOut(counts.get(participantId)!)))
}

const FILTER_MAX = 2000

/**
 * Returns the filter that excludes the excluded tests; '' if there are none; null if it would exceed the maximum length
 * of a filter. It has a condition for each threshold that a filter can express, and names the other tests by id.
 *
 * @param before filter with which it is combined
 */
export function exclusionFilter(
  tests: QualityTest[],
  out: Set<QualityTest>,
  thresholds: Thresholds,
  unit: ExclusionUnit,
  before: string,
): string | null {
  if (out.size === 0) return ''
  const filter =
    unit === 'participants'
      ? listed(tests, out, 'participant_id', ({ participantId }) => participantId)
      : conditionsOf(tests, out, thresholds)
  // Joined by " AND " and, at most, parentheses.
  return filter.length + (before === '' ? 0 : before.length + 7) <= FILTER_MAX ? filter : null
}

function conditionsOf(tests: QualityTest[], out: Set<QualityTest>, thresholds: Thresholds): string {
  const bounds = SHOWN_MEASURES.flatMap(({ inFilter, isLess }, m) => {
    const limit = thresholds[m]
    return inFilter === undefined || limit === null ? [] : [{ m, inFilter, isLess, limit }]
  })
  // Comparisons with an unknown value (NaN) are false, as in a filter.
  const isKept = ({ values }: QualityTest) =>
    bounds.every(({ m, isLess, limit }) => (isLess ? values[m] <= limit : values[m] >= limit))
  const conditions = bounds.map(
    ({ inFilter, isLess, limit }) => `${inFilter} ${isLess ? '<=' : '>='} ${printed(limit)}`,
  )
  const left = [...out].filter(isKept)
  // A bundle may give a good grade to a test without gaze.
  if (left.some(({ validCount }) => validCount === 0)) conditions.push('test_valid_sample_count > 0')
  const others = new Set(left.filter(({ validCount }) => validCount > 0))
  const kept = tests.filter((test) => !out.has(test) || others.has(test))
  if (others.size > 0) conditions.push(listed(kept, others, 'test_id', ({ testId }) => testId))
  return conditions.join(' AND ')
}

/** Returns the condition that excludes some of the tests by an id: it lists those, or all others if they are fewer. */
function listed(
  tests: QualityTest[],
  out: Set<QualityTest>,
  column: string,
  idOf: (test: QualityTest) => string,
): string {
  const left = [...new Set([...out].map(idOf))]
  const kept = [...new Set(tests.filter((test) => !out.has(test)).map(idOf))]
  const isIn = (ids: string[]) => `${column} IN (${ids.map(quoted).join(', ')})`
  return kept.length > 0 && kept.length < left.length ? isIn(kept) : `NOT ${isIn(left)}`
}

/** Formats a number for a filter, with at most 9 decimals. */
function printed(limit: number): string {
  return String(limit).includes('e') ? limit.toFixed(9).replace(/\.?0+$/, '') : String(limit)
}
