import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { makeDraft } from '../../../engine/recordings/draft/draft.ts'
import { readTuples } from '../../../engine/recordings/platforms/parse-tuples.ts'
import { tableHead } from '../../../engine/recordings/text/foreign-table.ts'
import { instantText } from '../../../engine/recordings/text/instant-text.ts'
import {
  COMMA,
  msAfterAt,
  nanosecondsIn,
  numberAt,
  numberIn,
  POINT,
} from '../../../engine/recordings/text/parse-number.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { splitRows } from '../../../engine/recordings/text/split-rows.ts'
import { cellText, openRows } from '../../../engine/recordings/text/table-rows.ts'
import { nameUuid } from '../../../engine/text/name-uuid.ts'
import { cleanUp, writeFiles } from './converted.ts'
import { tableText } from './shapes.ts'

afterEach(cleanUp)

const numberOf = (text: string, mark = POINT) => numberAt(Buffer.from(text), 0, Buffer.byteLength(text), mark)

describe('numbers', () => {
  test('from bytes are what Number makes of the text', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 0, max: 15 }),
        (value, digits) => {
          expect(numberOf(String(value))).toBe(value + 0)
          if (Math.abs(value) < 1e15) expect(numberOf(value.toFixed(digits))).toBe(Number(value.toFixed(digits)))
        },
      ),
    )
  })
  test.each([
    ['', Number.NaN],
    ['.', Number.NaN],
    ['-', Number.NaN],
    ['1.2.3', Number.NaN],
    ['12px', Number.NaN],
    ['0x10', Number.NaN],
    ['Infinity', Number.NaN],
    [' 7 ', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['+3', 3],
    ['1e3', 1000],
  ])('%j is %d', (text, value) => expect(numberOf(text)).toBe(value))
  test('have the mark that the file has, and no other', () => {
    expect(numberOf('1,5', COMMA)).toBe(1.5)
    expect(numberOf('1,5')).toBeNaN()
    expect(numberOf('1.5', COMMA)).toBeNaN()
  })
  test('nanoseconds since 1970 lose no microsecond', () => {
    const [from, to] = ['1700000000123456789', '1700000001123457789']
    expect(msAfterAt(nanosecondsIn(from)!, Buffer.from(to), 0, to.length)).toBe(1000.001)
  })
})

describe('rows', () => {
  async function rowsOf(text: string): Promise<string[][]> {
    const [file] = await findSourceFiles([`${writeFiles({ 'a.csv': text })}/a.csv`])
    const rows = openRows(file, ',', makeDraft('x'))
    const found: string[][] = []
    while (await rows.more())
      while (rows.next()) found.push(Array.from({ length: rows.cells }, (_, i) => cellText(rows, i, 2 ** 26)))
    return found
  }
  test('are those of the table that was written, whatever its cells hold', async () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', 'ü', '"', ',', '\n', '😀', '1'), maxLength: 6 })
      .map((text) => text.trim())
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const text = tableText(rows)
        expect(splitRows(text, ',').map((cells) => cells.map((one) => one.trim()))).toEqual(rows)
        expect(await rowsOf(text)).toEqual(rows)
      }),
      { numRuns: 60 },
    )
  })
  test('longer than the pieces in which a file is read are whole', async () => {
    const long = 'x'.repeat(5_000_000)
    expect(await rowsOf(`a,b\n"${long}",1\nc,d\n`)).toEqual([
      ['a', 'b'],
      [long, '1'],
      ['c', 'd'],
    ])
  })
  test('after a quote that is never closed are not dropped in silence', async () => {
    const text = `a,b\n"x,1\n${'y,2\n'.repeat(200)}`
    await expect(rowsOf(text)).rejects.toThrow('a.csv, line 2: has a quote that is not closed')
  })
  test('in Windows’ western code page keep their letters', async () => {
    const [file] = await findSourceFiles([writeFiles({ 'a.csv': Buffer.from('name,x\nJürgen,1\n', 'latin1') })])
    expect(tableHead(file)!.rows).toEqual([['Jürgen', '1']])
  })
})

describe('tuples', () => {
  const read = (text: string) => {
    const tuples = readTuples(Buffer.from(text), 0, Buffer.byteLength(text), 3)
    const found: number[][] = []
    while (tuples.next()) found.push([...tuples.values.subarray(0, tuples.count)])
    return [found, tuples.end]
  }
  test.each([
    ['[]', [], 'whole'],
    [
      ' [ [1, 2] , [-3.5,null,true] ] ',
      [
        [1, 2],
        [-3.5, Number.NaN, 1],
      ],
      'whole',
    ],
    ['[[1,2],[3', [[1, 2]], 'cut'],
    ['[[1,2],', [[1, 2]], 'cut'],
    ['[[1,2]', [[1, 2]], 'cut'],
    ['', [], 'cut'],
    ['{"a":1}', [], 'broken'],
    ['[[1,2] [3]]', [[1, 2]], 'broken'],
    ['[[]]', [[]], 'whole'],
  ])('of %j', (text, tuples, end) => expect(read(text)).toEqual([tuples, end]))
})

test.each([
  ['2021-05-01T10:00:00+02:00', '2021-05-01T10:00:00+02:00', false],
  ['2021-05-01 10:00', '2021-05-01T10:00:00Z', true],
  ['2021-05-01 10:00:00.5 UTC', '2021-05-01T10:00:00.5Z', false],
  ['2021-05-01 10:00:00+0130', '2021-05-01T10:00:00+01:30', false],
  ['2021-05-01 10:00:00-03', '2021-05-01T10:00:00-03:00', false],
  ['01.05.2021 10:00', '', false],
  ['', '', false],
])('%j is the instant %j', (text, instant, isUtcAssumed) =>
  expect(instantText(text)).toEqual({ instant, isUtcAssumed }),
)

test('the same names give the same UUID of version 5, other names another', () => {
  expect(nameUuid('a', 'b')).toBe(nameUuid('a', 'b'))
  expect(nameUuid('a', 'b')).not.toBe(nameUuid('a,b'))
  expect(nameUuid('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('what no double holds is no number', () => {
  for (const text of ['1e999', '-1e999', '1e400', `${'9'.repeat(60)}e300`]) {
    const bytes = Buffer.from(text)
    expect(numberAt(bytes, 0, bytes.length, POINT)).toBeNaN()
    expect(numberIn(text)).toBeNaN()
  }
  expect(numberIn('1e308')).toBe(1e308)
})

test('a packed text whose beginning ends inside a character is UTF-8, and more than its beginning', async () => {
  // The beginning is 65,536 bytes; é has two.
  const text = `a,b\n${'1,2\n'.repeat(16_382)}123é,4\n`
  expect(text.indexOf('é')).toBe(65_535)
  const [file] = await findSourceFiles([writeFiles({ 'a.csv.gz': gzipSync(text) })])
  expect([file.encoding, file.isWholeHead]).toEqual(['utf-8', false])
})
