import { expect, test } from 'vitest'
import type { ExportCatalog, Study } from '../../../dashboard/core/api.ts'
import { readChoice } from '../../../dashboard/pages/exporting/export-choice.ts'

const catalog = {
  exports: [{ name: 'gazes' }, { name: 'fixations' }],
  formats: [{ name: 'csv' }, { name: 'parquet' }],
} as Pick<ExportCatalog, 'exports' | 'formats'>
const study = { items: [{ id: 'a1' }, { id: 'b2' }] } as Study

function choiceOf(text: string) {
  const { chosen, itemId, format, refused } = readChoice(new URLSearchParams(text), study, catalog)
  return [chosen.name, itemId, format.name, refused.map(({ name, value }) => `${name}=${value}`)]
}

test.each([
  ['', ['fixations', null, 'csv', []]],
  ['export=gazes&itemId=B2&format=parquet', ['gazes', 'b2', 'parquet', []]],
  ['export=gaze&itemId=c3&format=xls', ['fixations', null, 'csv', ['export=gaze', 'itemId=c3', 'format=xls']]],
])('the address "%s" chooses %j', (text, choice) => {
  expect(choiceOf(text)).toEqual(choice)
})
