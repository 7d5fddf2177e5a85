import { expect, test } from 'vitest'
import { BOARD_MAX, boardText, readBoard, withEntry } from '../../../dashboard/core/view/board.ts'

const ITEM = '0a000000-0000-4000-8000-000000000001'
const PERSON = '2a000000-0000-4000-8000-000000000002'
const read = (board: string) => readBoard(new URLSearchParams({ board }))

test('a board is read as it was written: figures of all, of a group and of a participant, in order', () => {
  const entries = [
    { part: 'scarf' as const, itemId: ITEM, who: '' },
    { part: 'heatmap' as const, itemId: ITEM, who: 'g2' },
    { part: 'heatmap' as const, itemId: ITEM, who: PERSON },
  ]
  const text = boardText(entries)!
  expect(text).toBe(`scarf.${ITEM}_heatmap.${ITEM}.g2_heatmap.${ITEM}.${PERSON}`)
  expect(read(text)).toEqual({ entries, refused: [] })
  expect([boardText([]), read('')]).toEqual([null, { entries: [], refused: [] }])
})

test('an entry that is none is named, and the others are kept', () => {
  const { entries, refused } = read(`pie.${ITEM}_heatmap.${ITEM}.g5_table.${ITEM}_constructor.${ITEM}`)
  expect(entries).toEqual([{ part: 'table', itemId: ITEM, who: '' }])
  expect(refused.map(({ value }) => value)).toEqual([`pie.${ITEM}`, `heatmap.${ITEM}.g5`, `constructor.${ITEM}`])
  const many = read(
    Array(BOARD_MAX + 1)
      .fill(`scarf.${ITEM}`)
      .join('_'),
  )
  expect([many.entries.length, many.refused.map(({ value }) => value)]).toEqual([BOARD_MAX, ['25 figures']])
})

test('a scarf plot keeps the order and alignment of its rows, whatever their names have in them', () => {
  const scarf = { order: { group: 'a_b~c.d & é' }, zero: { event: 'cue: go_1' }, aoi: 0 }
  const entries = [
    { part: 'scarf' as const, itemId: ITEM, who: 'g1', scarf },
    { part: 'scarf' as const, itemId: ITEM, who: '' },
    {
      part: 'scarf' as const,
      itemId: ITEM,
      who: '',
      scarf: { order: 'dwell' as const, zero: 'first' as const, aoi: 11 },
    },
  ]
  expect(read(boardText(entries)!)).toEqual({ entries, refused: [] })
  expect(boardText(entries.slice(2))).toBe(`scarf.${ITEM}~rows=dwell&zero=first&rowsAoi=12`)
  const { entries: some, refused } = read(`scarf.${ITEM}~rows=size_heatmap.${ITEM}~rows=first_scarf.${ITEM}~size=2`)
  expect(some.map(({ part, scarf }) => [part, scarf])).toEqual([
    ['scarf', undefined],
    ['heatmap', undefined],
    ['scarf', undefined],
  ])
  expect(refused.map(({ value }) => value)).toEqual(['size', 'rows=first', 'size=2'])
})

test('one more figure comes to what an analysis keeps, until the board is full', () => {
  const entry = { part: 'scarf' as const, itemId: ITEM, who: PERSON }
  expect(withEntry('', entry)).toEqual({
    sections: 'text.methods.people.quality.board.items.sources',
    parts: null,
    board: `scarf.${ITEM}.${PERSON}`,
  })
  expect(withEntry(`title=Ours&sections=board.text&board=heatmap.${ITEM}`, entry)).toEqual({
    title: 'Ours',
    sections: 'board.text',
    parts: null,
    board: `heatmap.${ITEM}_scarf.${ITEM}.${PERSON}`,
  })
  const full = new URLSearchParams({ board: Array(BOARD_MAX).fill(`scarf.${ITEM}`).join('_') })
  expect(withEntry(full.toString(), entry)).toBe(null)
})
