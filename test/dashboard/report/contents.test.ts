import { expect, test } from 'vitest'
import { toggled } from '../../../dashboard/core/toggled.ts'
import { contentsQuery, moved, readContents, USUAL, withoutKept } from '../../../dashboard/core/view/report-contents.ts'

const read = (query: string) => readContents(new URLSearchParams(query))

test('a report without contents in its address has the usual ones', () => {
  expect(read('')).toEqual({ contents: USUAL, refused: [] })
  expect(contentsQuery(USUAL)).toEqual({ sections: null, parts: null })
})

test('the address keeps sections and parts in their order, each once', () => {
  const { contents } = read('sections=items.methods.items&parts=survival.heatmap')
  expect(contents).toEqual({ sections: ['items', 'methods'], parts: ['survival', 'heatmap'] })
  expect(contentsQuery(contents)).toEqual({ sections: 'items.methods', parts: 'survival.heatmap' })
})

test('no section at all is a choice, too', () => {
  expect(read('sections=none').contents.sections).toEqual([])
  expect(contentsQuery({ ...USUAL, parts: [] })).toEqual({ sections: null, parts: 'none' })
})

test('an unknown name is left out and reported, also one that objects have', () => {
  const { contents, refused } = read('sections=methods.toString.xyz')
  expect(contents.sections).toEqual(['methods'])
  expect(refused.map(({ name, value }) => [name, value])).toEqual([
    ['sections', 'toString'],
    ['sections', 'xyz'],
  ])
})

test('entries are switched on at the end, off, and moved within the list', () => {
  expect(toggled(['a', 'b'], 'c')).toEqual(['a', 'b', 'c'])
  expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c'])
  expect(moved(['a', 'b', 'c'], 'c', 1)).toEqual(['a', 'b', 'c'])
})

test('an address leaves to its analysis what that keeps, but never a chosen item', () => {
  const kept = 'sections=board&board=x'
  expect(withoutKept(`?analysis=a&filter=f&${kept}`, kept)).toBe('?analysis=a&filter=f')
  expect(withoutKept(`?analysis=a&${kept}&title=T`, kept)).toBe(`?analysis=a&${kept}&title=T`)
  expect(withoutKept(`?analysis=a&${kept}&item=i`, `${kept}&item=i`)).toBe(`?analysis=a&${kept}&item=i`)
  expect(withoutKept('?analysis=a', '')).toBe('?analysis=a')
})
