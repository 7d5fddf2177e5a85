import { array, assert, asyncProperty, string, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quote } from '../../../engine/text/cells.ts'
import { guardFormula } from '../../../engine/text/formula-guard.ts'
import { csvCells } from '../csv.ts'

/** Letters that CSV trips over, among others. */
const cell = string({ unit: 'grapheme', maxLength: 8 }).chain((text) =>
  array(string({ unit: 'binary-ascii', maxLength: 2 }), { maxLength: 2 }).map(
    (more) => more.join('"') + text + more.join(',\n'),
  ),
)

test('hundreds of generated tables come back from a parser of others as they were', async () => {
  const table = array(tuple(cell, cell, cell), { minLength: 1, maxLength: 12 })
  await assert(
    asyncProperty(table, async (rows) => {
      // A row of nothing but empty cells is a blank line to some parsers; ours always have ids in them.
      const withIds = rows.map((row, i) => [`id-${i}`, ...row])
      const csv = withIds.map((row) => `${row.map((text) => quote(text)).join(',')}\n`).join('')
      expect(await csvCells(csv)).toEqual(withIds)
    }),
    { numRuns: 600 },
  )
})

describe('a cell', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['with space', 'with space'],
    ["O'Brien", "O'Brien"],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\rlines', '"two\rlines"'],
    ['tab\there', 'tab\there'],
    ['über', 'über'],
  ])('%j is quoted only where it must be', (text, written) => expect(quote(text)).toBe(written))

  test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', "'=1", "''-x"])('%j is disarmed', (text) =>
    expect(guardFormula(text)).toBe(`'${text}`),
  )
  test.each(['', 'a=1', "'a=1", "'", ' =1', '1-1'])('%j is left as it is', (text) =>
    expect(guardFormula(text)).toBe(text),
  )
})
