import { describe, expect, test } from 'vitest'
import { encodeTable } from '../../../engine/formats/encode-table.ts'
import { xlsxFrame } from '../../../engine/formats/xlsx-file.ts'
import { type Column, column, type Rows, same } from '../../../engine/model/columns.ts'
import { readWorksheet, unzip } from './read-worksheet.ts'

const COLUMNS: Column[] = [
  column('name', 'string', '', 'A <name> & "more"', ''),
  column('x', 'number', 'px', 'A number', ''),
  column('isSeen', 'boolean', '', 'A flag', ''),
]

const ABOUT = { export: 'fixations', study: 'a < b' }

function table(texts: string[], numbers: number[], flags: number[]): Rows {
  return {
    n: texts.length,
    cells: [
      { kind: 'texts', dictionary: texts, indexes: Int32Array.from(texts.keys()) },
      // Longer than the rows, as columns of a test may be.
      { kind: 'fractions', values: Float64Array.from([...numbers, Number.NaN, 7]) },
      { kind: 'flags', values: Uint8Array.from(flags) },
    ],
  }
}

const encoded = (rows: Rows) => encodeTable({ columns: COLUMNS, rows }, 'xlsx', ABOUT, true)
const sheet = (name: number) => `xl/worksheets/sheet${name}.xml`

test('cells have types, missing ones are empty, and text stands as it is', async () => {
  const texts = ['=1+1', ' edge ', 'a<b>&"c"', 'two\nlines\r\n', 'tab\t', '\u0000\u001f\ud800\uffff', '_x0041_', '𝄞 é']
  const numbers = [1.5, Number.NaN, -0.0000004, 1e9, 0.123456789, Number.NaN, 3, 4]
  const bytes = await encoded(table(texts, numbers, [0, 1, 2, 0, 1, 2, 0, 1]))
  const [header, ...rows] = await readWorksheet(bytes, sheet(1))
  expect(header).toEqual(['name', 'x', 'isSeen'])
  expect(rows.map(([text]) => text)).toEqual(texts)
  expect(rows.map(([, x]) => x)).toEqual([1.5, null, 0, 1e9, 0.123457, null, 3, 4])
  expect(rows.map(([, , flag]) => flag)).toEqual([false, true, null, false, true, null, false, true])
})

test('further sheets say what columns mean and where the file is from; the first row stays in view', async () => {
  const bytes = await encoded(table(['a'], [1], [1]))
  expect(await readWorksheet(bytes, sheet(2))).toEqual([
    ['name', 'type', 'unit', 'meaning'],
    ['name', 'string', '', 'A <name> & "more"'],
    ['x', 'number', 'px', 'A number'],
    ['isSeen', 'boolean', '', 'A flag'],
  ])
  expect(await readWorksheet(bytes, sheet(3))).toEqual([
    ['fact', 'value'],
    ['export', 'fixations'],
    ['study', 'a < b'],
  ])
  for (const name of [1, 2, 3]) expect((await unzip(bytes)).get(sheet(name))!.toString()).toContain('state="frozen"')
})

test('a value of all rows, and a table without rows', async () => {
  const rows = { n: 2, cells: [same('a'), same(null), same(false)] }
  expect((await readWorksheet(await encoded(rows), sheet(1))).slice(1)).toEqual([
    ['a', null, false],
    ['a', null, false],
  ])
  expect(await readWorksheet(await encoded(table([], [], [])), sheet(1))).toHaveLength(1)
})

test('the same rows are the same bytes', async () => {
  const rows = table(['a', 'b'], [1, 2], [0, 1])
  expect((await encoded(rows)).equals(await encoded(rows))).toBe(true)
})

describe('what XLSX cannot hold', () => {
  test('text of more characters than a cell has', async () => {
    const longest = 'x'.repeat(32_767)
    expect((await readWorksheet(await encoded(table([longest], [1], [1])), sheet(1)))[1][0]).toBe(longest)
    await expect(encoded(table([`${longest}x`], [1], [1]))).rejects.toMatchObject({
      code: 'format_limit',
      message: 'a cell of name has 32,768 characters, and a cell of XLSX holds 32,767: choose another format',
    })
  })
  test('more rows than a worksheet has', () => {
    const { checkRows } = xlsxFrame(COLUMNS, ABOUT)
    expect(() => checkRows!(1_048_575)).not.toThrow()
    expect(() => checkRows!(1_048_576)).toThrow(
      'the table has more rows than the 1,048,575 that XLSX holds: choose another format, or fewer tests',
    )
  })
})
