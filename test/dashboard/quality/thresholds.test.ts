import { expect, test } from 'vitest'
import {
  exclusionFilter,
  failuresOf,
  fallingOut,
  type QualityTest,
  readThresholds,
} from '../../../dashboard/pages/quality/thresholds.ts'

const made = (participantId: string, testId: string, values: number[], validCount = 100): QualityTest => ({
  participantId,
  itemId: 'i',
  testId,
  validCount,
  values,
})
/** Grade, loss, rate, precision, clicks. */
const GOOD = made('p1', 't1', [6, 1, 60, 0.5, Number.NaN])
const LOSSY = made('p1', 't2', [3, 30, 58, 0.6, 4])
const SLOW = made('p2', 't3', [4, 10, 20, 0.7, 5])
const TESTS = [GOOD, LOSSY, SLOW]
const read = (text: string) => readThresholds(new URLSearchParams(text))
const of = (text: string) => read(text).thresholds

test('a test falls out beyond a threshold, not at it, and not for what was not measured', () => {
  expect(failuresOf(LOSSY, of('loss=30'))).toEqual([])
  expect(failuresOf(LOSSY, of('loss=29.9&grade=4'))).toEqual([0, 1])
  expect(failuresOf(GOOD, of('clicks=0'))).toEqual([])
  const { thresholds, refused } = read('loss=much&rate=-3&clicks=2')
  expect(thresholds).toEqual([null, null, null, null, 2])
  const rule = 'must be a number from 0 on'
  expect(refused).toEqual([
    { name: 'loss', value: 'much', rule },
    { name: 'rate', value: '-3', rule },
  ])
})

/** No sample at all; every sample lost; no sample, with a grade that the bundle brought. */
const GAZELESS = [
  made('p3', 't4', [1, Number.NaN, Number.NaN, Number.NaN, Number.NaN], 0),
  made('p3', 't5', [1, 100, Number.NaN, Number.NaN, Number.NaN], 0),
  made('p3', 't6', [6, Number.NaN, Number.NaN, Number.NaN, Number.NaN], 0),
]

test('a test without valid gaze falls out of every threshold, and of none', () => {
  for (const [m, text] of ['grade=2', 'loss=99', 'rate=1', 'precision=50', 'clicks=90'].entries())
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
  const many = Array.from({ length: 200 }, (_, i) => made(`p${i}`, `6b1f3a52-0000-4000-8000-${i}`, [5, 1, 60, i, 1]))
  const thresholds = of('precision=99')
  expect(exclusionFilter(many, fallingOut(many, thresholds, 'tests'), thresholds, 'tests', '')).toBeNull()
})
