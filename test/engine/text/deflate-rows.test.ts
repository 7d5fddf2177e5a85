import { inflateRawSync } from 'node:zlib'
import { array, assert, boolean, constantFrom, integer, property, record, string, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deflateRows } from '../../../engine/text/deflate-rows.ts'
import { DEFLATE_ROWS_WASM } from '../../../engine/text/deflate-rows-wasm.ts'
import { buildKernel } from '../../../scripts/build-wasm.mjs'

/** An empty last block, which pieces leave to the end of the file. */
const LAST = Buffer.from([3, 0])

function inflated(deflated: Uint8Array): Buffer {
  return inflateRawSync(Buffer.concat([deflated, LAST]))
}

test('the committed kernel matches its source', async () => {
  expect(DEFLATE_ROWS_WASM).toBe(await buildKernel('text/deflate-rows'))
})

/**
 * Rows of a few tests: what they begin and end with stays for a while, of any length; some are empty, or equal, or very
 * long.
 */
const part = integer({ min: 0, max: 700 }).chain((length) =>
  string({ unit: constantFrom('a', 'b', ',', '"', 'é', '0'), minLength: length, maxLength: length }),
)
const rowsOfTest = record({
  prefix: part,
  suffix: constantFrom('', ',', ',true,', ',false,', 'x'.repeat(300)),
  cells: array(tuple(integer(), boolean()), { minLength: 1, maxLength: 60 }),
  ending: constantFrom('\n', '\r\n', ''),
})
const table = array(rowsOfTest, { minLength: 1, maxLength: 8 }).map((tests) =>
  tests
    .map(({ prefix, suffix, cells, ending }) =>
      cells.map(([number, isSame]) => `${prefix}${isSame ? 7 : number}${suffix}${ending}`).join(''),
    )
    .join(''),
)

describe('rows deflated', () => {
  test('inflate to what they were', () => {
    let taken = 0
    assert(
      property(table, integer({ min: 1, max: 40 }), (text, times) => {
        const bytes = Buffer.from(text.repeat(times)).subarray(0, 1 << 20)
        const deflated = deflateRows(bytes)
        if (deflated === null) return
        taken++
        expect(inflated(deflated).equals(bytes)).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  test('inflate when matches are of every length, on the borders of what one code may say', () => {
    for (let length = 1; length < 1100; length++) {
      const row = `${'p'.repeat(length)},${length}\n`
      const bytes = Buffer.from(row.repeat(Math.ceil(9000 / row.length)))
      const deflated = deflateRows(bytes)
      expect(inflated(deflated!).equals(bytes), `rows of ${row.length}`).toBe(true)
    }
  })

  test('end on a byte, so that pieces join', () => {
    const pieces = [10, 100, 1000].map((n) =>
      Buffer.from(Array.from({ length: 3000 }, (_, i) => `test ${n},${i}\n`).join('')),
    )
    const joined = Buffer.concat([...pieces.map((piece) => deflateRows(piece)!), LAST])
    expect(inflateRawSync(joined).equals(Buffer.concat(pieces))).toBe(true)
  })

  test('are no larger than by zlib, by much', () => {
    const rows = Array.from(
      { length: 4000 },
      (_, i) => `${'participant 1,item 2,'.repeat(8)}${Math.sin(i).toFixed(6)},${i * 17},false,\n`,
    )
    const bytes = Buffer.from(rows.join(''))
    expect(bytes.length / deflateRows(bytes)!.length).toBeGreaterThan(14)
  })
})

test.each([
  ['few bytes', 'a,b\n'.repeat(100)],
  ['more than a block', 'a,b\n'.repeat(300_000)],
  ['long cells', `"[${Array.from({ length: 9000 }, (_, i) => i * 7919).join(',')}]"\n`.repeat(3)],
  ['rows that differ', Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 10_007} ${i}\n`).join('')],
])('%s are left to zlib', (_name, text) => {
  expect(deflateRows(Buffer.from(text))).toBeNull()
})
