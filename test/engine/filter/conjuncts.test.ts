import { expect, test } from 'vitest'
import { conjunctsOf } from '../../../isomorphic/conditions.ts'
import { leftOutBy } from '../../../isomorphic/quality-words.ts'

test('splits conditions joined by AND', () => {
  expect(conjunctsOf('a = 1')).toEqual(['a = 1'])
  expect(conjunctsOf(' (a = 1 AND b = 2) AND ((c = 3)) and NOT (d = 4 OR e)')).toEqual([
    'a = 1',
    'b = 2',
    'c = 3',
    'NOT (d = 4 OR e)',
  ])
  expect(conjunctsOf('a BETWEEN 1 AND 2 AND b NOT BETWEEN 3 AND 4')).toEqual([
    'a BETWEEN 1 AND 2',
    'b NOT BETWEEN 3 AND 4',
  ])
  expect(conjunctsOf("x = 'a AND b' AND y = ')'")).toEqual(["x = 'a AND b'", "y = ')'"])
  expect(conjunctsOf('a AND b OR c AND d')).toEqual(['a AND b OR c AND d'])
  expect(conjunctsOf('(a) OR (b)')).toEqual(['(a) OR (b)'])
  expect(conjunctsOf('(a) AND (b OR c)')).toEqual(['a', 'b OR c'])
  expect(conjunctsOf("a = '")).toEqual(["a = '"])
})

test('a bound on quality is told by what it leaves out', () => {
  expect(leftOutBy('test_data_loss_percents <= 30')).toBe('more than 30 % of samples lost, or without samples')
  expect(leftOutBy('test_sampling_rate_hz >= 27.5')).toBe(
    'less than 27.5 samples with gaze per second, or without gaze',
  )
  expect(leftOutBy('test_sample_count > 10')).toBe('at most 10 samples')
  expect(leftOutBy('test_duration_ms > 10')).toBeNull()
  expect(leftOutBy('NOT test_sample_count > 10')).toBeNull()
})
