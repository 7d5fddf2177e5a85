import type { TableData } from '../core/api.ts'
import { quoted } from '../people/conditions.ts'
import type { Refused } from '../view/chart-view.ts'

/** A measure of a test's quality: a column of `quality-stats`; `isLess` says that less is better. */
type QualityMeasure = { column: string; name: string; label: string; unit: string; isLess: boolean }

export const QUALITY_MEASURES: QualityMeasure[] = [
  { column: 'participant_quality_grade_item', name: 'grade', label: 'Quality grade', unit: '', isLess: false },
  { column: 'data_loss_percents', name: 'loss', label: 'Samples without gaze', unit: '%', isLess: true },
  { column: 'sampling_rate_hz', name: 'rate', label: 'Sampling rate', unit: 'Hz', isLess: false },
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
]

/** Names a measure with its unit. */
export function nameOfMeasure({ label, unit }: QualityMeasure): string {
  return unit === '' ? label : `${label}, ${unit}`
}

/**
 * One test with its measures; NaN where a cell is empty. Without valid gaze there is nothing that could be good enough.
 */
export type QualityTest = {
  participantId: string
  itemId: string
  testId: string
  order: number
  validCount: number
  values: number[]
}

export const QUALITY_COLUMNS = [
  'participant_id',
  'item_id',
  'test_id',
  'test_item_display_order',
  'valid_sample_count',
  ...QUALITY_MEASURES.map(({ column }) => column),
]

/** Returns the tests of a table of `quality-stats`. */
export function testsOf({ columns, rows }: TableData): QualityTest[] {
  const [who, item, test, order, valid] = QUALITY_COLUMNS.slice(0, 5).map((name) => columns.indexOf(name))
  const places = QUALITY_MEASURES.map(({ column }) => columns.indexOf(column))
  const number = (cell: string) => (cell === '' ? Number.NaN : Number(cell))
  return rows.map((row) => ({
    participantId: row[who],
    itemId: row[item],
    testId: row[test],
    order: number(row[order]),
    validCount: Number(row[valid]),
    values: places.map((place) => number(row[place])),
  }))
}

/** The least or the most that a test may have, by measure; null where any will do. */
export type Thresholds = (number | null)[]

/** Reads the thresholds of a link; what is no threshold is none, and told. */
export function readThresholds(query: URLSearchParams): { thresholds: Thresholds; refused: Refused[] } {
  const refused: Refused[] = []
  const thresholds = QUALITY_MEASURES.map(({ name }) => {
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
 * Returns the measures by which a test falls out. What was not measured, such as clicks, is no reason; a test without
 * valid gaze falls out of every threshold.
 */
export function failuresOf({ validCount, values }: QualityTest, thresholds: Thresholds): number[] {
  return QUALITY_MEASURES.flatMap(({ isLess }, m) => {
    const limit = thresholds[m]
    if (limit === null) return []
    if (validCount === 0) return [m]
    if (Number.isNaN(values[m])) return []
    return (isLess ? values[m] > limit : values[m] < limit) ? [m] : []
  })
}

/** Whether tests fall out one by one, or participants as a whole once more than half of their tests do. */
export type ExclusionUnit = 'tests' | 'participants'

/** Returns the tests that fall out. */
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
 * Returns the filter that leaves out the tests that fall out, '' where none does; null where it would be longer than a
 * filter may be.
 *
 * @param before the filter on top of which it comes
 */
export function exclusionFilter(
  tests: QualityTest[],
  out: Set<QualityTest>,
  thresholds: Thresholds,
  unit: ExclusionUnit,
  before: string,
): string | null {
  if (out.size === 0) return ''
  const [grade, ...others] = thresholds
  const isOfGrade = unit === 'tests' && grade !== null && others.every((limit) => limit === null)
  // A bundle may bring a good grade for a test without gaze.
  if (isOfGrade && [...out].every(({ values }) => values[0] < grade))
    return `participant_quality_grade_item >= ${grade}`
  const column = unit === 'tests' ? 'test_id' : 'participant_id'
  const idOf = ({ testId, participantId }: QualityTest) => (unit === 'tests' ? testId : participantId)
  const left = [...new Set([...out].map(idOf))]
  const kept = [...new Set(tests.filter((test) => !out.has(test)).map(idOf))]
  const listed = (ids: string[]) => `${column} IN (${ids.map(quoted).join(', ')})`
  const shorter = kept.length > 0 && kept.length < left.length ? listed(kept) : `NOT ${listed(left)}`
  // Joined by " AND " and, at most, parentheses.
  return shorter.length + (before === '' ? 0 : before.length + 7) <= FILTER_MAX ? shorter : null
}
