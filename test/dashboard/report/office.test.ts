import { expect, test } from 'vitest'
import { fitColumns } from '../../../dashboard/pages/report/office/columns.ts'
import type { DocumentBlock, DocumentCell } from '../../../dashboard/pages/report/office/contents.ts'
import { rowsInPages, slidesOf } from '../../../dashboard/pages/report/office/slides.ts'

const cell = (text: string): DocumentCell => ({ text, names: false, isNumber: false })
/** Letters as wide as they are large. */
const measure = (text: string, sizePt: number) => text.length * sizePt
const widths = (rows: string[][], widthPt: number, sizes = [2, 1]) =>
  fitColumns(
    rows.map((row) => row.map(cell)),
    widthPt,
    0,
    measure,
    sizes,
  )

test('columns fill the width of the table, and none is narrower than its longest word', () => {
  const { sizePt, widthsPt, fits } = widths(
    [
      ['aaaa', 'b b b b'],
      ['a', 'bb'],
    ],
    20,
  )
  expect([sizePt, fits]).toEqual([2, true])
  // 8 and 4 are needed; of the 8 left, the second has 11 parts (it could use 10 more) of 12.
  expect(widthsPt).toEqual([8 + 8 / 12, 4 + (8 * 11) / 12])
})

test('letters get smaller before a word is broken, and a word is broken in the smallest alone', () => {
  expect(widths([['aaaa', 'bbbb']], 10)).toMatchObject({ sizePt: 1, widthsPt: [5, 5], fits: true })
  expect(widths([['aaaa', 'bbbb']], 4)).toEqual({ sizePt: 1, widthsPt: [2, 2], fits: false })
})

test('rows go to the next slide where one is full; one that is too high has its own', () => {
  expect(rowsInPages(['a', 'b', 'c', 'd'], [1, 1, 9, 1], 2)).toEqual([['a', 'b'], ['c'], ['d']])
  expect(rowsInPages([], [], 2)).toEqual([])
})

const text = (words: string): DocumentBlock => ({ is: 'text', text: words, isNote: false })
const heading = (level: 1 | 2 | 3, words: string): DocumentBlock => ({ is: 'heading', level, text: words })
const figure = (title: string): DocumentBlock => ({
  is: 'figure',
  figure: { title, caption: { short: '', reading: '', sources: [] }, applied: '', paperMm: null, drawing: null },
})
const shown = (blocks: DocumentBlock[]) =>
  slidesOf(blocks).map(({ is, over, title, texts }) => [is, over, title, ...texts.map((each) => each.slice(0, 9))])

test('each figure and table has a slide, with the short text before it; the section stands above', () => {
  const note: DocumentBlock = { is: 'text', text: 'All items', isNote: true }
  const table: DocumentBlock = { is: 'table', title: 'Numbers', head: [], body: [] }
  const blocks = [heading(1, 'Report'), note, text('Own words'), heading(2, 'Item a'), text('Facts.')]
  expect(shown([...blocks, figure('Heatmap'), table, heading(3, 'Named'), table])).toEqual([
    ['title', '', 'Report', 'All items'],
    ['text', '', 'Report', 'Own words'],
    ['figure', 'Item a', 'Heatmap', 'Facts.'],
    ['table', 'Item a', 'Numbers'],
    ['table', 'Item a', 'Named'],
  ])
})

test('a long text has slides of its own, divided between sentences, and none of it is lost', () => {
  const sentence = `${'word '.repeat(200)}end.`
  const blocks = [heading(2, 'Method'), text(`${sentence} ${sentence} ${sentence}`), figure('Heatmap')]
  const slides = slidesOf(blocks)
  expect(slides.map(({ is, texts }) => [is, texts.length])).toEqual([
    ['text', 1],
    ['text', 1],
    ['figure', 0],
  ])
  expect(slides.flatMap(({ texts }) => texts).join(' ')).toBe(`${sentence} ${sentence} ${sentence}`)
})
