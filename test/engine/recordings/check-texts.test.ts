import { expect, test } from 'vitest'
import { checkTexts } from '../../../engine/recordings/bundle/check-texts.ts'
import { type Draft, makeDraft } from '../../../engine/recordings/draft/draft.ts'

const participant = {
  key: 'p',
  files: ['answers.csv'],
  id: null,
  externalId: 'p',
  createdAt: '',
  displayName: '',
  age: null,
  gender: null,
  displayGender: '',
  qualityGrade: null,
  isCompleted: null,
  notes: '',
  tags: new Map(),
  externalData: new Map(),
  facts: new Map(),
}

const draftWith = (own: Partial<Draft['participants'][number]>): Draft => ({
  ...makeDraft('a study'),
  participants: [{ ...participant, ...own }],
})

test('texts of recordings have the bounds of bundles, and are refused in the name of their file', () => {
  const data = (length: number, columns = 1) =>
    new Map(Array.from({ length: columns }, (_, i) => [`answer ${i}`, 'x'.repeat(length)]))
  expect(() => checkTexts(draftWith({ externalId: 'x'.repeat(1000), externalData: data(9000, 10) }))).not.toThrow()
  expect(() => checkTexts(draftWith({ externalId: 'x'.repeat(1001) }))).toThrow(
    `answers.csv the id "${'x'.repeat(40)}"… must have at most 1,000 characters`,
  )
  expect(() => checkTexts(draftWith({ externalData: data(10_001) }))).toThrow(
    /^answers\.csv the text of column answer 0 "x+"… must have at most 10,000 characters/,
  )
  expect(() => checkTexts(draftWith({ externalData: data(10_000, 11) }))).toThrow(
    'answers.csv a participant must have at most 100,000 characters of text together, not 110001',
  )
  expect(() => checkTexts(draftWith({ notes: 'a\u0000' }))).toThrow('must not contain U+0000')
  expect(() => checkTexts({ ...draftWith({}), studyName: 'x'.repeat(1001) })).toThrow('the name of the study')
})
