import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countByte } from '../../../engine/text/count-byte.ts'

test('countByte counts a byte wherever the bytes begin and end', () => {
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 64 })
  fc.assert(
    fc.property(bytes, fc.nat(7), fc.constantFrom(0, 44, 127, 128, 172, 255), (given, start, byte) => {
      const all = Uint8Array.from(given, (one, i) => (i % 3 === 0 ? byte : one))
      const part = all.subarray(Math.min(start, all.length))
      expect(countByte(part, byte)).toBe(part.filter((one) => one === byte).length)
    }),
  )
})

test('countByte counts more than a byte can hold', () => {
  expect(countByte(new Uint8Array(10_000).fill(44), 44)).toBe(10_000)
  expect(countByte(new Uint8Array(10_000).fill(255), 255)).toBe(10_000)
})
