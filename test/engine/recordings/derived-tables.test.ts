import { afterEach, expect, test } from 'vitest'
import { derivedTable } from '../../../engine/recordings/text/derived-tables.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, writeFiles } from './converted.ts'

afterEach(cleanUp)

async function derived(numbers: string[]) {
  const text = `time,x,y,fixation_number\n${numbers.map((number, i) => `${i},500,300,${number}\n`).join('')}`
  const [file] = await findSourceFiles([writeFiles({ 'table.csv': text })])
  return derivedTable(file)
}

test('rows with a number of a fixation each are fixations, whatever rows have none, and rows that share it samples', async () => {
  const fixations = 'lists of fixations, which are computed anew from samples'
  expect(await derived(['1', '2', '3', '', '', '', ''])).toBe(fixations)
  expect(await derived(['1', '1', '1', '2', '2', '', ''])).toBeNull()
})
