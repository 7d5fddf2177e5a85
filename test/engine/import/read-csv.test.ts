import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCsv } from '../../../engine/import/bundle/read-csv.ts'
import { noProblems } from '../../../engine/model/bundle-problems.ts'
import { keptDirectory } from '../kept.ts'

const directory = await keptDirectory()

async function rowsOf(text: string) {
  const path = join(directory, 'a.csv')
  await writeFile(path, text)
  const problems = noProblems()
  const rows = []
  for await (const batch of readCsv(path, 'a.csv', problems)) rows.push(...batch)
  return { rows, problems: problems.listed }
}

test('a row knows its first line, after quoted line breaks and empty lines', async () => {
  const { rows } = await rowsOf('\uFEFFa,b\r\n\r\n"1\r\n2",""""\n\n,\nlast')
  expect(rows).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 3, cells: ['1\r\n2', '"'] },
    { line: 6, cells: ['', ''] },
    { line: 7, cells: ['last'] },
  ])
})

test('rows are whole wherever the file is cut into chunks', async () => {
  const cells = Array.from({ length: 9 }, (_, i) => `"é${'\n'.repeat(i)}𝄞"`).join(',')
  const { rows } = await rowsOf(`${cells}\n`.repeat(20_000))
  expect(rows).toHaveLength(20_000)
  expect(
    rows.every(({ cells: [first, second], line }, i) => first === 'é𝄞' && second === 'é\n𝄞' && line === i * 37 + 1),
  ).toBe(true)
})

test.each([
  ['semicolons', 'a;b\n"x";"1,5"\n"y";2\n', 'a;b'],
  ['semicolons', '"a";"b"\n"x";"1"\n', '"a";"b"'],
  ['tabs', '\uFEFF"a"\tb\r\n"x"\t1\r\n', '"a"\tb'],
])('a header with %s is the one problem of a file, even if cells are quoted: %j', async (others, text, value) => {
  const rule = `must separate its cells by commas, not by ${others}`
  const problem = { file: 'a.csv', line: 1, column: null, value, rule }
  expect(await rowsOf(text)).toEqual({ rows: [], problems: [problem] })
})

test('a row after a broken one is read', async () => {
  const { rows, problems } = await rowsOf('a,b\n"x"y,1\nc,d\n')
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(problems).toMatchObject([{ line: 2, value: '"x"y,1' }])
})

test('cells come back as they were written, quoted or not', async () => {
  const any = fc.string({
    unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', '\r', ' ', '\uFEFF', '\u00a0', '\t', ''),
  })
  const quoted = any.map((text) => ({ text, written: `"${text.replaceAll('"', '""')}"` }))
  const plain = any.map((text) => text.replace(/[",\r\n]/g, '')).map((text) => ({ text, written: text }))
  // A row of one empty cell is an empty line.
  const table = fc.array(fc.array(fc.oneof(quoted, plain), { minLength: 2, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), async (rows, end) => {
      const text = rows.map((cells) => cells.map(({ written }) => written).join(',') + end).join('')
      // The file's own BOM, so that one in the first cell is the cell's.
      const read = await rowsOf(`\uFEFF${text}`)
      expect(read.problems).toEqual([])
      expect(read.rows.map(({ cells }) => cells)).toEqual(rows.map((cells) => cells.map((cell) => cell.text)))
    }),
    { numRuns: 200, seed: 7 },
  )
})

test('a carriage return that ends no line is told', async () => {
  const { rows, problems } = await rowsOf('a,b\n1\r,2\n"x",y\rz\n3,4\n')
  expect(rows.map(({ line }) => line)).toEqual([1, 4])
  const rule = 'must end its lines with LF or CRLF, not with CR alone'
  expect(problems).toMatchObject([
    { line: 2, rule },
    { line: 3, rule },
  ])
})
