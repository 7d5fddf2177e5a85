import { expect, test } from 'vitest'
import { countText, grouped } from '../../bin/terminal/count.ts'

test('numbers have a comma every three digits, as in English', () => {
  for (const n of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 120_197_268])
    expect(grouped(n)).toBe(n.toLocaleString('en'))
})

test('there is one test, and there are no or 1,000 tests', () => {
  expect(['1 test', '0 tests', '1,000 tests']).toEqual([
    countText(1, 'test'),
    countText(0, 'test'),
    countText(1000, 'test'),
  ])
})
