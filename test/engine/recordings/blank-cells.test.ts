import { afterEach, describe, expect, test } from 'vitest'
import { guessMapping } from '../../../engine/recordings/any-table/guess-mapping.ts'
import { openTabs } from '../../../engine/recordings/text/blank-cells.ts'
import { tableHead } from '../../../engine/recordings/text/foreign-table.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const SCREEN = { widthPx: 1000, heightPx: 1000 }
const ROWS = Array.from({ length: 30 }, (_, i) => ['kim', i < 15 ? 'cat' : 'dog', (i % 15) * 4, 500.25 + i, 300])

async function headOf(text: string) {
  const [file] = await findSourceFiles([writeFiles({ 'a.txt': text })])
  return tableHead(file)
}

async function looksOf(text: string, change: object = {}) {
  const directory = writeFiles({ 'a.txt': text })
  const [file] = await findSourceFiles([directory])
  const mapping = { ...(await guessMapping(file)), ...change }
  const { looks } = await convertAndRead([directory], { mapping, screen: SCREEN })
  return looks
}

const expected = ['cat', 'dog'].map((item, k) => ({
  participant: 'kim',
  item,
  samples: Array.from({ length: 15 }, (_, i) => [i * 4, 500.25 + i + 15 * k, 300]),
}))

describe("R's write.table is read", () => {
  const quoted = (row: (string | number)[]) => row.map((cell) => (typeof cell === 'string' ? `"${cell}"` : cell))
  const names = ['subject', 'trial', 'time', 'x', 'y']
  test.each([
    ['as it is', [quoted(names), ...ROWS.map((row, i) => [`"${i + 1}"`, ...quoted(row)])], ' '],
    ['without quotes', [names, ...ROWS.map((row, i) => [i + 1, ...row])], ' '],
    ['without names of rows', [quoted(names), ...ROWS.map(quoted)], ' '],
    ['with tabs', [quoted(names), ...ROWS.map((row, i) => [`"${i + 1}"`, ...quoted(row)])], '\t'],
    ['with commas, of some rows', [quoted(names), ...ROWS.map((row, i) => [`"${7 * i + 3}"`, ...quoted(row)])], ','],
  ])('%s', async (_what, lines, separator) => {
    expect(await looksOf(`${lines.map((line) => line.join(separator)).join('\n')}\n`)).toEqual(expected)
  })
  test.each([' ', '\t'])('with decimal commas, separated by %j', async (separator) => {
    const comma = (cell: string | number) =>
      typeof cell === 'number' ? cell.toFixed(2).replace('.', ',') : `"${cell}"`
    const lines = [names.map((name) => `"${name}"`), ...ROWS.map((row, i) => [`"${i + 1}"`, ...row.map(comma)])]
    expect(await looksOf(`${lines.map((line) => line.join(separator)).join('\n')}\n`)).toEqual(expected)
  })
  test('with blanks in quotes, CRLF and no last line end', async () => {
    const lines = [names, ...ROWS.map(([, ...row], i) => [i + 1, '"kim lee"', ...row])]
    const looks = await looksOf(lines.map((line) => line.join(' ')).join('\r\n'))
    expect(looks.map(({ participant, samples }) => [participant, samples.length])).toEqual([
      ['kim lee', 15],
      ['kim lee', 15],
    ])
  })
})

describe("MATLAB's tables are read", () => {
  const own = {
    ...{ participant: null, item: null, time: { column: '1', unit: 'ms', origin: 'item' } },
    gaze: [{ x: '2', y: '3', unit: 'px', valid: null }],
  }
  const numbers = Array.from({ length: 20 }, (_, i) => [i * 4, 500.25 + i, 300])
  const samples = numbers.map(([t, x, y]) => [t, x, y])
  test('as save -ascii writes them: no header, and more than one blank', async () => {
    const text = numbers.map((row) => row.map((one) => `   ${one.toExponential(7)}`).join('')).join('\n')
    expect((await looksOf(`${text}\n`, own))[0].samples).toEqual(samples)
  })
  test('with columns that are filled up with blanks, and lost gazes as NaN', async () => {
    const padded = (row: unknown[]) => row.map((one) => String(one).padStart(10)).join(' ')
    const rows = numbers.map(([t, x, y], i) => padded(i === 3 ? [t, 'NaN', 'NaN'] : [t, x, y]))
    const looks = await looksOf(`${[padded(['time', 'x', 'y']), ...rows].join('\n')}   \n`)
    expect(looks[0].samples).toEqual(samples.map((one, i) => (i === 3 ? [12, null, null] : one)))
  })
  test.each([' ', '\t'])('of numbers with decimal commas alone, separated by %j', async (separator) => {
    const text = numbers.map((row) => row.map((one) => one.toFixed(2).replace('.', ',')).join(separator)).join('\n')
    expect((await looksOf(`${text}\n`, own))[0].samples).toEqual(samples)
  })
  test('whose comment names the columns', async () => {
    const text = ['% recorded today', '% time x y', ...numbers.map((row) => row.join(' '))].join('\n')
    expect((await looksOf(`${text}\n`))[0].samples).toEqual(samples)
  })
})

test('a row with a blank in one of its cells moves none of the others, and is left out and said', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => `${i === 20 ? 'kim lee' : 'kim'} ${i * 4} 500 300`)
  const directory = writeFiles({ 'a.txt': `who t x y\n${rows.join('\n')}\n` })
  const [file] = await findSourceFiles([directory])
  const { looks, conversion } = await convertAndRead([directory], { mapping: await guessMapping(file), screen: SCREEN })
  expect(looks.map(({ participant, samples }) => [participant, samples.length])).toEqual([['kim', 39]])
  expect(conversion.left.join()).toMatch(/1 row with more or fewer cells, between blanks, than the header has/)
})

describe('what blanks do not separate', () => {
  test.each([
    ['words', 'This is a note about the study.\nIt has some lines.\nThey are of words.\nAnd no more than that.\n'],
    ['a protocol', '12:00 start 1 of 3\n12:05 pause\n12:10 stop 1 of 3 after 5 minutes\n12:20 end of it all\n'],
    ['a header with blanks in its names', `Time (ms) L X L Y\n${'0 500 300\n'.repeat(20)}`],
  ])('is no table: %s', async (_what, text) => {
    expect(await headOf(text)).toBeNull()
    const [file] = await findSourceFiles([writeFiles({ 'a.txt': text })])
    await expect(guessMapping(file)).rejects.toThrow(/separated by tabs, semicolons, commas, bars or blanks/)
  })
  test('a table with commas keeps blanks in its cells', async () => {
    const head = await headOf('who,time,x y,y\nkim lee,0,1,2\nkim lee,4,1,2\nann,8,1,2\n')
    expect(head).toMatchObject({ separator: ',', header: ['who', 'time', 'x y', 'y'] })
  })
  test('a last column without a name takes the place of no other', async () => {
    const head = await headOf('time,x,y\n0,500,300,a\n4,501,301,b\n8,502,302,c\n')
    expect(head?.header).toEqual(['time', 'x', 'y'])
  })
})

test('pieces may end anywhere', () => {
  const text = Buffer.from('  "a  b" \t c\r\n d   "e""f" \n g')
  const whole = Buffer.from(openTabs()(text)).toString()
  expect(whole).toBe('"a  b"\tc\r\nd\t"e""f"\ng')
  for (let cut = 0; cut <= text.length; cut++) {
    const toTabs = openTabs()
    const pieces = [text.subarray(0, cut), text.subarray(cut)].map((piece) => Buffer.from(toTabs(piece)).toString())
    expect(pieces.join('')).toBe(whole)
  }
})
