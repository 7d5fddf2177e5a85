import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseString } from 'fast-csv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noProblems } from '../../../engine/import/bundle/bundle-problems.ts'
import { readCsv } from '../../../engine/import/bundle/read-csv.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazette-test-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

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

test('a row after a broken one is read', async () => {
  const { rows, problems } = await rowsOf('a,b\n"x"y,1\nc,d\n')
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(problems).toMatchObject([{ line: 2, value: '"x"y,1' }])
})

test('it reads what fast-csv reads', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', ' ', '') })
  // A row of one empty cell is an empty line.
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const text = rows.map((cells) => `${cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')}\n`).join('')
      const judged = await new Promise((resolve, reject) => {
        const read: string[][] = []
        parseString(text, { headers: false })
          .on('data', (row) => read.push(row))
          .on('error', reject)
          .on('end', () => resolve(read))
      })
      expect((await rowsOf(text)).rows.map(({ cells }) => cells)).toEqual(rows)
      expect(judged).toEqual(rows)
    }),
    { numRuns: 50 },
  )
})
