import { assert, double, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fractionText } from '../../../engine/text/cells.ts'
import {
  NUMBER_BYTES,
  putFraction,
  putInteger,
  putJsonNumber,
  putJsonPercent,
  putMilliseconds,
  putThousandths,
} from '../../../engine/text/numbers.ts'

function printed(put: (bytes: Uint8Array, at: number, value: number) => number, value: number): string {
  const bytes = new Uint8Array(NUMBER_BYTES)
  return new TextDecoder().decode(bytes.subarray(0, put(bytes, 0, value)))
}

/** Section 7's words, by way of decimal text: slow, and right. */
function fraction(value: number): string {
  const scaled = Math.floor(Math.abs(value) * 1e6 + 0.5)
  const text = (BigInt(scaled) / 1_000_000n).toString()
  const rest = (BigInt(scaled) % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return `${value < 0 && scaled > 0 ? '-' : ''}${text}${rest ? `.${rest}` : ''}`
}

const bounded = double({ noNaN: true, min: -3e9, max: 3e9 })

describe('fractions', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [-0.0000004, '0'],
    [0.0000005, '0.000001'],
    [-1.5, '-1.5'],
    [33.3333333, '33.333333'],
    [99.9999996, '100'],
    [1234567.125, '1234567.125'],
    [0.1, '0.1'],
    [1e10 + 0.25, '10000000000.25'],
  ])('%d is %s', (value, text) => {
    expect(printed(putFraction, value)).toBe(text)
    expect(fractionText(value)).toBe(text)
  })
  test('of any size are as docs/export-formats.md says, never longer than their room', () => {
    assert(
      property(
        bounded,
        (value) => printed(putFraction, value) === fraction(value) && fractionText(value) === fraction(value),
      ),
    )
    assert(
      property(
        double({ noNaN: true, min: -1e15, max: 1e15 }),
        (value) => printed(putFraction, value) === fraction(value),
      ),
    )
  })
})

describe('numbers in JSON cells', () => {
  test('of three decimals, and any others, are what JSON.stringify prints', () => {
    assert(
      property(
        integer({ min: -1e10, max: 1e10 }),
        (n) => printed(putJsonNumber, n / 1000) === JSON.stringify(n / 1000),
      ),
    )
    assert(
      property(
        double({ noNaN: true, noDefaultInfinity: true }),
        (v) => printed(putJsonNumber, v) === JSON.stringify(v),
      ),
    )
    expect(printed(putJsonNumber, -0)).toBe('0')
    expect(printed(putJsonNumber, 1e-7)).toBe('1e-7')
  })
  test('that are percents are rounded to six decimals first', () => {
    const rounded = (v: number) => {
      const scaled = Math.floor(Math.abs(v) * 1e6 + 0.5)
      return JSON.stringify((v < 0 && scaled > 0 ? -scaled : scaled) / 1e6)
    }
    assert(property(bounded, (value) => printed(putJsonPercent, value) === rounded(value)))
    assert(
      property(
        double({ noNaN: true, min: -150, max: 250 }),
        (value) => printed(putJsonPercent, value) === rounded(value),
      ),
    )
  })
  test('that are times are µs over 1000, unrounded', () => {
    assert(
      property(
        integer({ min: -86_400_000_000, max: 86_400_000_000 }),
        (us) => printed(putThousandths, us) === JSON.stringify(us / 1000),
      ),
    )
  })
})

test('whole numbers are their digits, and milliseconds are rounded half up', () => {
  assert(property(integer(), (value) => printed(putInteger, value) === String(value)))
  expect([499, 500, 1499, 1500, -500, -501, -1500].map((us) => printed(putMilliseconds, us))).toEqual([
    '0',
    '1',
    '1',
    '2',
    '0',
    '-1',
    '-1',
  ])
})
