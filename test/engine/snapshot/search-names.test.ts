import { expect, test } from 'vitest'
import type { Study } from '../../../engine/model/study.ts'
import { folded, matchNames, rankOf, searchedNames, searchWords } from '../../../engine/snapshot/search-names.ts'

const STUDY = {
  name: 'Café menus',
  items: [
    { id: 'i1', filename: 'Speisekarte Über.png' },
    { id: 'i2', filename: 'two\nlines.png' },
  ],
  aois: [
    { itemId: 'i1', name: 'Logo' },
    { itemId: 'i1', name: 'Logo' },
    { itemId: 'i2', name: 'Logo left' },
    { itemId: 'gone', name: 'Logo of nobody' },
  ],
} as unknown as Study

test('case, accents and the order of words do not matter', () => {
  expect(folded('Über CAFÉ')).toBe('uber cafe')
  expect(searchWords('  MENUS   café ')).toEqual(['menus', 'cafe'])
  expect(rankOf(searchedNames(STUDY).study, searchWords('menus café'))).toBe(1)
})

test('a name that begins with the first word comes before one with such a word, and one that contains it', () => {
  expect(['logo', 'new-logo', 'catalogo', 'lo'].map((name) => rankOf(name, ['logo']))).toEqual([0, 1, 2, null])
  expect(rankOf('logo left', ['logo', 'right'])).toBeNull()
})

test('each AOI name is found once an item, with its item; one without an item is not', () => {
  const searched = searchedNames(STUDY)
  expect(matchNames(searched, ['logo'])).toEqual([
    { rank: 0, name: 'Logo', itemIndex: 0, isAoi: true },
    { rank: 0, name: 'Logo left', itemIndex: 1, isAoi: true },
  ])
  expect(matchNames(searched, searchWords('uber'))).toEqual([
    { rank: 1, name: 'Speisekarte Über.png', itemIndex: 0, isAoi: false },
  ])
  // A break within a name does not part it.
  expect(matchNames(searched, ['two', 'lines']).map(({ name }) => name)).toEqual(['two lines.png'])
  expect(matchNames(searched, ['logo', 'uber'])).toEqual([])
  // Of the last item, and of names that are alike.
  expect(matchNames(searched, ['o']).map(({ name, itemIndex }) => [name, itemIndex])).toEqual([
    ['two lines.png', 1],
    ['Logo', 0],
    ['Logo left', 1],
  ])
  expect(matchNames(searchedNames({ name: 'Empty', items: [], aois: [] }), ['e'])).toEqual([])
})
