import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookAtFiles } from '../../../engine/recordings/convert/found-files.ts'
import { keptDirectory } from '../kept.ts'

const directory = await keptDirectory()

/** Looks at a table of three participants with two rows each, of which each cell is made by a function. */
async function look(columns: Record<string, (person: number, row: number) => string | number>) {
  const people = [0, 0, 1, 1, 2, 2]
  const lines = people.map((person, row) =>
    [`p${person}`, 'a', row * 10, 0.5, 0.5, ...Object.values(columns).map((cell) => cell(person, row))].join(','),
  )
  const path = join(directory, 'table.csv')
  await writeFile(path, `${['who', 'pic', 't_ms', 'x', 'y', ...Object.keys(columns)].join(',')}\n${lines.join('\n')}\n`)
  return (await lookAtFiles([path], {}, null)).table!
}

test('columns with few values, one per participant, are conditions; ids and varying columns are not', async () => {
  const { conditions } = await look({
    group: (person) => (person === 1 ? 'B' : 'A'),
    age: (person) => 20 + person,
    Sex: () => '',
    code: (person) => `id-${person}`,
    block: (_, row) => row,
    site: () => 'Lab',
    handedness: (person, row) => (row % 2 === 0 ? '' : person === 0 ? 'left' : 'right'),
  })
  expect(conditions).toEqual([
    { column: 'group', values: ['A', 'B'] },
    { column: 'age', values: ['20', '21', '22'] },
    { column: 'handedness', values: ['left', 'right'] },
  ])
})

test('the share of rows below each threshold is exact, and text counts as below all', async () => {
  const values = ['0', '0.3', '0.58', '0.6', '1', '']
  const { thresholds } = await look({ confidence: (_, row) => values[row] })
  const [{ column, steps }] = thresholds
  expect(column).toBe('confidence')
  expect(steps).toHaveLength(51)
  const lost = (least: number) => steps.find((step) => step.least === least)!.lostPercents
  expect([0, 0.02, 0.3, 0.32, 0.58, 0.6, 0.62, 1].map((least) => [least, Math.round((lost(least) * 6) / 100)])).toEqual(
    [
      [0, 1],
      [0.02, 2],
      [0.3, 2],
      [0.32, 3],
      [0.58, 3],
      [0.6, 4],
      [0.62, 5],
      [1, 5],
    ],
  )
})

test('numbers up to 100 have steps of 2; two numbers are a mark, and negative ones no measure of confidence', async () => {
  const of = async (cell: (row: number) => number) => (await look({ confidence: (_, row) => cell(row) })).thresholds
  expect((await of((row) => row * 20))[0].steps.map(({ least }) => least).slice(0, 3)).toEqual([0, 2, 4])
  expect(await of((row) => row % 2)).toEqual([])
  expect(await of((row) => row - 3)).toEqual([])
  expect(await of((row) => row * 1000)).toEqual([])
})
