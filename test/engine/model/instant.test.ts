import { expect, test } from 'vitest'
import { compareInstants, instantKey, isInstant } from '../../../engine/model/instant.ts'

test.each([
  '2024-02-29T23:59:59Z',
  '2024-01-01t00:00:00.000000001z',
  '2016-12-31T23:59:60+00:00',
  '0001-01-01T00:00:00-23:59',
])('%s is a time', (text) => expect(isInstant(text)).toBe(true))

test.each([
  '',
  '2024-01-01',
  '2024-01-01T10:00:00',
  '2024-01-01 10:00:00Z',
  '2024-01-01T10:00Z',
  '2023-02-29T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '2024-00-01T00:00:00Z',
  '2024-01-00T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T10:60:00Z',
  '2024-01-01T10:00:61Z',
  '2024-01-01T10:00:00+24:00',
  '2024-01-01T10:00:00+0200',
  '2024-01-01T10:00:00.Z',
])('%j is none', (text) => expect(isInstant(text)).toBe(false))

test('instants compare at full precision, whatever their offset, and an empty one comes last', () => {
  const sorted = [
    '0099-12-31T23:59:59Z',
    '2024-01-01T00:00:00+00:01',
    '2024-01-01T00:00:00Z',
    '2023-12-31T19:00:00.00000000000000000001-05:00',
    '2024-01-01T00:00:00.1Z',
    '2024-01-01T00:00:00.11Z',
    '',
  ]
  const keyed = sorted.toReversed().map((text) => ({ text, key: instantKey(text) }))
  expect(keyed.sort((a, b) => compareInstants(a.key, b.key)).map(({ text }) => text)).toEqual(sorted)
  expect(compareInstants(instantKey('2024-01-01T00:00:00.10Z'), instantKey('2023-12-31T23:00:00.1-01:00'))).toBe(0)
})
