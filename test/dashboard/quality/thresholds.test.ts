import { expect, test } from 'vitest'
import {
  exclusionFilter,
  failuresOf,
  fallingOut,
  type QualityTest,
  qualityMeasures,
  readThresholds,
} from '../../../dashboard/pages/quality/thresholds.ts'

const made = (participantId: string, testId: string, values: number[], validCount = 100): QualityTest => ({
  participantId,
  itemId: 'i',
  testId,
  validCount,
  values,
})
/** Loss, rate, precision, clicks, grade. */
const GOOD = made('p1', 't1', [1, 60, 0.5, Number.NaN, 6])
const LOSSY = made('p1', 't2', [30, 58, 0.6, 4, 3])
const SLOW = made('p2', 't3', [10, 20, 0.7, 5, 4])
const TESTS = [GOOD, LOSSY, SLOW]
const read = (text: string) => readThresholds(new URLSearchParams(text))
const of = (text: string) => read(text).thresholds

test('a test falls out beyond a threshold, not at it, and not for what was not measured', () => {
  expect(failuresOf(LOSSY, of('loss=30'))).toEqual([])
  expect(failuresOf(LOSSY, of('loss=29.9&grade=4'))).toEqual([0, 4])
  expect(failuresOf(GOOD, of('clicks=0'))).toEqual([])
  const { thresholds, refused } = read('loss=much&rate=-3&clicks=2')
  expect(thresholds).toEqual([null, null, null, 2, null])
  const rule = 'must be a number from 0 on'
  expect(refused).toEqual([
    { name: 'loss', value: 'much', rule },
    { name: 'rate', value: '-3', rule },
  ])
})

/** No sample at all; every sample lost; no sample, with a grade that the bundle brought. */
const GAZELESS = [
  made('p3', 't4', [Number.NaN, Number.NaN, Number.NaN, Number.NaN, 1], 0),
  made('p3', 't5', [100, Number.NaN, Number.NaN, Number.NaN, 1], 0),
  made('p3', 't6', [Number.NaN, Number.NaN, Number.NaN, Number.NaN, 6], 0),
]

test('a test without valid gaze falls out of every threshold, and of none', () => {
  for (const [m, text] of ['loss=99', 'rate=1', 'precision=50', 'clicks=90', 'grade=2'].entries())
    for (const test of GAZELESS) expect(failuresOf(test, of(text))).toEqual([m])
  for (const test of GAZELESS) expect(failuresOf(test, of(''))).toEqual([])
  const thresholds = of('grade=3')
  const filterOf = (tests: QualityTest[]) =>
    exclusionFilter(tests, fallingOut(tests, thresholds, 'tests'), thresholds, 'tests', '')
  expect(filterOf([GOOD, LOSSY, ...GAZELESS.slice(0, 2)])).toBe('participant_quality_grade_item >= 3')
  // The grade alone would keep it.
  expect(filterOf([GOOD, LOSSY, GAZELESS[2]])).toBe(
    'participant_quality_grade_item >= 3 AND test_valid_sample_count > 0',
  )
})

test('participants fall out once more than half of their tests do', () => {
  expect([...fallingOut(TESTS, of('loss=20'), 'tests')]).toEqual([LOSSY])
  expect([...fallingOut(TESTS, of('loss=20'), 'participants')]).toEqual([])
  expect([...fallingOut(TESTS, of('loss=20&rate=30'), 'participants')]).toEqual([SLOW])
  expect([...fallingOut(TESTS, of('grade=7'), 'participants')]).toEqual(TESTS)
})

test('an exclusion is a filter: a condition for each threshold, or the ids of those that fall out or are kept, whichever are fewer', () => {
  const filterOf = (text: string, unit: 'tests' | 'participants' = 'tests') => {
    const thresholds = of(text)
    return exclusionFilter(TESTS, fallingOut(TESTS, thresholds, unit), thresholds, unit, '')
  }
  expect(filterOf('')).toBe('')
  expect(filterOf('grade=4')).toBe('participant_quality_grade_item >= 4')
  expect(filterOf('loss=20')).toBe('test_data_loss_percents <= 20')
  expect(filterOf('loss=5&rate=0.0000001')).toBe('test_data_loss_percents <= 5 AND test_sampling_rate_hz >= 0.0000001')
  expect(filterOf('precision=0.6')).toBe("NOT test_id IN ('t3')")
  expect(filterOf('precision=0.55')).toBe("test_id IN ('t1')")
  expect(filterOf('loss=20&precision=0.6')).toBe("test_data_loss_percents <= 20 AND NOT test_id IN ('t3')")
  expect(filterOf('rate=30', 'participants')).toBe("NOT participant_id IN ('p2')")
})

test('an exclusion too long for a filter is dropped', () => {
  const many = Array.from({ length: 200 }, (_, i) => made(`p${i}`, `6b1f3a52-0000-4000-8000-${i}`, [1, 60, i, 1, 5]))
  const thresholds = of('precision=99')
  expect(exclusionFilter(many, fallingOut(many, thresholds, 'tests'), thresholds, 'tests', '')).toBeNull()
})

test('grades are shown last, and only of recordings as fast as those for which they were made', () => {
  const shown = (hz: number | null) => {
    const measures = ['loss', 'rate', 'precision', 'clicks', 'grade'].map((column) => ({
      ...{ column, n: 2, min: hz, q1: hz, median: hz, q3: hz, max: hz, mean: hz, sd: hz },
    }))
    return qualityMeasures(measures).map(({ name }) => name)
  }
  expect(shown(60)).toEqual(['loss', 'rate', 'precision', 'clicks', 'grade'])
  expect(shown(60.1)).toEqual(['loss', 'rate', 'precision', 'clicks'])
  expect(shown(null)).toContain('grade')
})
