import { inflateRawSync } from 'node:zlib'
import { array, assert, constantFrom, integer, property, string, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { deflateEverywhere } from '../../../engine/formats/xlsx-deflate.ts'

/** Joins pieces to a stream, and inflates it by zlib. */
function inflated(pieces: Uint8Array[]): Buffer {
  return inflateRawSync(Buffer.concat([...pieces.map((piece) => deflateEverywhere(piece).deflated), Buffer.of(3, 0)]))
}

test('pieces are inflated to what they were, whatever they are', () => {
  const repeated = tuple(string({ maxLength: 9 }), integer({ min: 0, max: 400 })).map(([text, times]) =>
    Buffer.from(text.repeat(times)),
  )
  const row = constantFrom('<row><c><v>12.5</v></c><c/>', '</row>\n', '1', '23', 'é', '𝄞')
  const rows = array(row, { maxLength: 400 }).map((parts) => Buffer.from(parts.join('')))
  for (const piece of [uint8Array({ maxLength: 700 }), repeated, rows])
    assert(property(array(piece, { maxLength: 3 }), (pieces) => inflated(pieces).equals(Buffer.concat(pieces))))
})

test('every length and distance of a match', () => {
  const noise = Buffer.from(Array.from({ length: 40_000 }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 13) & 0xff))
  for (let length = 4; length <= 300; length += 1) {
    const piece = Buffer.concat([noise.subarray(0, 600), Buffer.from('!'), noise.subarray(0, length), Buffer.from('?')])
    expect(inflated([piece]).equals(piece)).toBe(true)
  }
  for (const distance of [4, 5, 7, 8, 9, 255, 256, 257, 1024, 1025, 24_577, 32_766, 32_767, 32_768, 32_769, 39_000]) {
    const piece = Buffer.concat([noise.subarray(0, distance), noise.subarray(0, 260)])
    expect(inflated([piece]).equals(piece)).toBe(true)
  }
})

test('rows of a sheet shrink to a quarter at most', () => {
  const rows = Array.from(
    { length: 4000 },
    (_, i) => `<row><c><v>${i}</v></c><c><v>${(i * 7919) % 1000}</v></c></row>\n`,
  )
  const piece = Buffer.from(rows.join(''))
  expect(deflateEverywhere(piece).deflated.length).toBeLessThan(piece.length / 4)
})
