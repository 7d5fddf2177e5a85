import { expect, test } from 'vitest'
import type { StudySummary } from '../../../dashboard/core/api.ts'
import { arrangeStudies } from '../../../dashboard/core/study-order.ts'

const study = (name: string, more: Partial<StudySummary> = {}): StudySummary => ({
  id: name,
  name,
  snapshot: '',
  changedAt: '2026-01-01T00:00:00Z',
  keywords: [],
  isArchived: false,
  participantCount: 0,
  itemCount: 0,
  testCount: 0,
  sampleCount: 0,
  ...more,
})
const namesOf = (studies: StudySummary[]) => studies.map(({ name }) => name)

test('names are in natural order: numbers by value, letters without case', () => {
  const studies = ['Pilot 10', 'pilot 2', 'Äpfel', 'Pilot 1', 'Zoo'].map((name) => study(name))
  expect(namesOf(arrangeStudies(studies, '', 'name'))).toEqual(['Äpfel', 'Pilot 1', 'pilot 2', 'Pilot 10', 'Zoo'])
})

test('the newest change and the largest come first, and equal ones by name', () => {
  const studies = [
    study('b', { changedAt: '2026-01-01T10:00:00+02:00', sampleCount: 5 }),
    study('a', { changedAt: '2026-01-01T09:00:00Z', participantCount: 7, sampleCount: 5 }),
    study('c', { changedAt: '2026-01-01T07:00:00Z', sampleCount: 9 }),
  ]
  expect(namesOf(arrangeStudies(studies, '', 'changed'))).toEqual(['a', 'b', 'c'])
  expect(namesOf(arrangeStudies(studies, '', 'samples'))).toEqual(['c', 'a', 'b'])
  expect(namesOf(arrangeStudies(studies, '', 'participants'))).toEqual(['a', 'b', 'c'])
  expect(namesOf(studies)).toEqual(['b', 'a', 'c'])
})

test('a text is found in names, ids and keywords, without case', () => {
  const studies = [study('Menus', { keywords: ['Reading'] }), study('Shelves', { id: 'f00' }), study('Ads')]
  expect(namesOf(arrangeStudies(studies, ' READ ', 'name'))).toEqual(['Menus'])
  expect(namesOf(arrangeStudies(studies, 'f00', 'name'))).toEqual(['Shelves'])
  expect(namesOf(arrangeStudies(studies, 's', 'name'))).toEqual(['Ads', 'Menus', 'Shelves'])
  expect(arrangeStudies(studies, 'x', 'name')).toEqual([])
})
