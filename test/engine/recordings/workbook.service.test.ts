import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { convertFiles } from '../../../engine/recordings/convert/convert-recordings.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { sheetText } from '../../../engine/recordings/workbook/sheet-text.ts'
import { cleanUp, convertAndRead, scratch, writeFiles } from './converted.ts'
import { workbookParts, zipOf } from './workbooks.ts'

afterEach(cleanUp)

async function textsOf(files: Record<string, Buffer>): Promise<Record<string, string>> {
  const found = await findSourceFiles([writeFiles(files)])
  return Object.fromEntries(found.map(({ name, head }) => [name.replace(/^[^/]*\//, ''), head]))
}
const sheet = async (data: string, more = {}) =>
  (await textsOf({ 'a.xlsx': zipOf(workbookParts({ S: data }, more)) }))['a.xlsx']
const refused = (bytes: Buffer) => findSourceFiles([writeFiles({ 'a.xlsx': bytes })])

describe('the cells of a sheet', () => {
  test('are texts, shared or their own, numbers, booleans, dates, errors and nothing, each in its column', async () => {
    const strings = [
      '<si><t>a name</t></si>',
      '<si><r><rPr><b/></rPr><t>rich </t></r><r><t>"text"&amp;&#10;line</t></r><rPh><t>furigana</t></rPh></si>',
    ]
    const formats = ['yyyy\\-mm\\-dd hh:mm', '[h]:mm:ss.000', '0.00" days"', 'General']
    const data = `<row r="2" spans="1:9"><c r="B2" t="s"><v>0</v></c><c r="D2" t="s"><v>1</v></c></row>
      <row><c t="inlineStr"><is><t>inline</t></is></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><f>A1&amp;"x"</f><v>made</v></c></row>
      <row r="5"><c r="A5" s="1"><v>45352.5</v></c><c r="B5" s="2"><v>1.25</v></c><c r="C5" s="3"><v>2</v></c><c r="D5"><v>-1.5E-3</v></c><c r="AA5" s="4"/></row>`
    expect(await sheet(data, { strings, formats })).toBe(
      [
        '\n\ta name\t\t"rich ""text""& line"',
        'inline\tTRUE\t#N/A\tmade',
        '',
        `2024-03-01T12:00:00.000\t30:00:00.000\t2\t-1.5E-3${'\t'.repeat(23)}\n`,
      ].join('\n'),
    )
  })

  test('have dates from 1904, if the workbook says so, and any name space', async () => {
    const parts = workbookParts(
      { S: '<x:row r="1"><x:c r="A1" s="1"><x:v>0</x:v></x:c></x:row>' },
      { formats: ['d/m/yy'], workbookPr: '<workbookPr date1904="1"/>' },
    )
    const [name] = Object.keys(parts).filter((one) => one.includes('sheet1'))
    parts[name] = parts[name].replace('xmlns=', 'xmlns:x="a" xmlns=')
    expect((await textsOf({ 'a.xlsx': zipOf(parts) }))['a.xlsx']).toBe('1904-01-01T00:00:00.000\n')
  })

  test('are the same whether a row is plain or needs the parser of XML', async () => {
    const strings = ['<si><t>größe</t></si>', '<si><t>b</t></si>']
    const value = (i: number) =>
      [`<c r="C${i}"><v>${i}.5</v></c>`, `<c r="C${i}" t="b"><v>1</v></c>`, `<c r="C${i}" t="s" s="0"><v>0</v></c>`][
        i % 3
      ]
    const row = (i: number, inside: string) =>
      `<row r="${i}" spans="1:4"><c r="A${i}" t="s"><v>1</v></c>${inside}<c r="B${i}" s="1"/>${value(i)}<c r="F${i}" t="str"><v>a"b</v></c></row>`
    const numbers = Array.from({ length: 2500 }, (_, i) => i + 1 + (i > 20 ? 3 : 0))
    const parsed = numbers.map((i) => row(i, '<!-- </row> -->')).join('\n')
    const some = numbers.map((i) => row(i, i % 5 === 0 ? '<!-- </row><row r="1"> -->' : '')).join('\n')
    const plain = numbers.map((i) => row(i, '')).join('')
    const text = await textsOf({ 'a.xlsx': zipOf(workbookParts({ S: parsed }, { strings })) })
    expect(text['a.xlsx'].split('\n').slice(0, 3)).toEqual([
      'b\t\tTRUE\t\t\t"a""b"',
      'b\t\tgröße\t\t\t"a""b"',
      'b\t\t3.5\t\t\t"a""b"',
    ])
    for (const data of [plain, some])
      expect(await textsOf({ 'a.xlsx': zipOf(workbookParts({ S: data }, { strings })) })).toEqual(text)
  })

  test('may be on several sheets, each a file of its own; empty sheets are skipped', async () => {
    const row = '<row><c><v>1</v></c></row>'
    const files = await textsOf({ 'a.xlsx': zipOf(workbookParts({ One: row, None: '', Two: row })) })
    expect(files).toEqual({ 'a.xlsx (One)': '1\n', 'a.xlsx (Two)': '1\n' })
  })
})

test('a note beside the samples of a workbook is left, and said', async () => {
  const rows = [
    ['participant_id', 'spreadsheet_row', 'screen_index', 'type', 'x_pred', 'y_pred', 'time_elapsed'],
    ...Array.from({ length: 20 }, (_, i) => ['P1', '1', '1', 'prediction', '5', '5', String(i * 16)]),
  ]
  const cells = rows.map((cells) => `<row>${cells.map((one) => `<c t="str"><v>${one}</v></c>`).join('')}</row>`)
  const note = '<row><c t="str"><v>Read me</v></c></row>'
  const path = writeFiles({ 'kim.xlsx': zipOf(workbookParts({ Data: cells.join(''), Note: note })) })
  const { conversion, looks } = await convertAndRead([path], { screen: { widthPx: 100, heightPx: 100 } })
  expect(looks[0].samples).toHaveLength(20)
  expect(conversion.files.join()).toMatch(/kim\.xlsx \(Data\)$/)
  expect(conversion.left.join()).toMatch(/1 file without recordings: .*kim\.xlsx \(Note\)/)
})

describe('a workbook that is broken, or made to harm, is refused with its name', () => {
  const row = '<row r="1"><c r="A1"><v>1</v></c></row>'
  const good = workbookParts({ S: row })
  const withSheet = (xml: string) => zipOf({ ...good, 'xl/worksheets/sheet1.xml': xml })
  const cases: [string, () => Buffer, RegExp][] = [
    ['truncated', () => zipOf(good).subarray(0, -30), /a\.xlsx is a damaged or truncated spreadsheet/],
    [
      'a changed byte',
      () => zipOf(good, (name, { crc }) => (name.includes('sheet1') ? { crc: (crc ^ 1) >>> 0 } : {})),
      /a\.xlsx has a damaged part "xl\/worksheets\/sheet1\.xml"/,
    ],
    [
      'a part larger than it says',
      () => zipOf(good, (name) => (name.includes('sheet1') ? { size: 10 } : {})),
      /damaged part/,
    ],
    [
      'an encrypted part',
      () => zipOf(good, (name) => (name.includes('sheet1') ? { flags: 1 } : {})),
      /part xl\/worksheets\/sheet1\.xml that is encrypted/,
    ],
    ['no sheet', () => zipOf({ ...good, 'xl/worksheets/sheet1.xml': 'no XML' }), /damaged or truncated/],
    [
      'entities',
      () =>
        withSheet(
          '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><worksheet><sheetData><row><c t="str"><v>&c;</v></c></row></sheetData></worksheet>',
        ),
      /declares entities/,
    ],
    ['a deep part', () => withSheet('<a>'.repeat(100)), /nests elements more than 64 deep/],
    [
      'a huge cell',
      () => withSheet(`<worksheet><sheetData><row><c t="str"><v>${'x'.repeat(3 << 20)}`),
      /has a cell of more than 1048576 characters/,
    ],
    [
      'a cell of many pieces',
      () =>
        withSheet(
          `<worksheet><sheetData><row><c t="inlineStr"><is>${`<t>${'x'.repeat(1000)}</t>`.repeat(1100)}</is></c></row></sheetData></worksheet>`,
        ),
      /has a cell of more than 1048576 characters/,
    ],
    [
      'a huge shared text',
      () => zipOf(workbookParts({ S: row }, { strings: [`<si><t>${'x'.repeat(40_000)}</t></si>`] })),
      /has a text of more than 32767 characters/,
    ],
    [
      'a text that is not there',
      () => zipOf(workbookParts({ S: '<row><c t="s"><v>7</v></c></row>' })),
      /the text 7, which is not there/,
    ],
    ['rows out of order', () => zipOf(workbookParts({ S: row + row })), /has a row 1 out of its place/],
    ['a row too far down', () => zipOf(workbookParts({ S: '<row r="99999999"/>' })), /has a row 99999999/],
    [
      'a cell out of its place',
      () => zipOf(workbookParts({ S: '<row r="1"><c r="ZZZZ1"><v>1</v></c></row>' })),
      /has a cell ZZZZ1 out of its place/,
    ],
  ]
  test.each(cases)('%s', async (_, bytes, message) => {
    await expect(refused(bytes())).rejects.toMatchObject({
      code: 'invalid_bundle',
      message: expect.stringMatching(message),
    })
  })

  test('a bomb of a sheet is read in bounded memory, and no row of it is a sample', async () => {
    const data = '<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'.repeat(2000)
    const strings = [`<si><t>${'x'.repeat(32_000)}</t></si>`]
    const path = writeFiles({ 'a.xlsx': zipOf(workbookParts({ S: data }, { strings })) })
    const converting = convertFiles({ paths: [path], directory: join(scratch(), 'b'), memoryMib: 128 })
    await expect(converting).rejects.toMatchObject({ code: 'usage' })
  })

  /** Reads a sheet, and returns its length, or the sentence in which it is refused. */
  const readingOf = async (data: string, strings: string[]) => {
    const path = writeFiles({ 'a.xlsx': zipOf(workbookParts({ S: data }, { strings })) })
    let bytes = 0
    try {
      for await (const text of sheetText({
        path: join(path, 'a.xlsx'),
        name: 'a.xlsx',
        sheet: 'xl/worksheets/sheet1.xml',
      }))
        bytes += text.length
      return bytes
    } catch (error) {
      return (error as Error).message
    }
  }
  const cell = '<c t="s"><v>0</v></c>'
  const long = [`<si><t>${'x'.repeat(30_000)}</t></si>`]

  test('a text of 30,000 letters in a million cells is refused before it comes', async () => {
    const found = await readingOf(`<row>${cell.repeat(10)}</row>`.repeat(100_000), long)
    expect(found).toBe('a.xlsx unpacks to more than 200 times its size, as no recording does: it is refused')
    expect(await readingOf(`<row>${cell.repeat(10)}</row>`.repeat(100), long)).toBe(100 * (10 * 30_000 + 10))
  })
  test('a row of such cells is refused before it fills memory', async () => {
    expect(await readingOf(`<row>${cell.repeat(16_384)}</row>`, long)).toMatch(/^a.xlsx has a row of more than 32 MiB/)
  })
  test('three million texts in a small file are refused before they are read', async () => {
    const many = ['<si><t>a</t></si>'.repeat(3_000_000)]
    expect(await readingOf(`<row>${cell}</row>`, many)).toMatch(/^a.xlsx has texts that unpack to more than 50 times/)
  })

  test('other archives are not workbooks, whatever their contents', async () => {
    const [file] = await findSourceFiles([writeFiles({ 'a.zip': zipOf({ 'b.txt': 'text' }) })])
    expect(file).toMatchObject({ head: '', sheet: null })
  })
})
