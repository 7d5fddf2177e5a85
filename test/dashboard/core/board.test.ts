import { expect, test } from 'vitest'
import { BOARD_MAX, boardText, readBoard } from '../../../dashboard/core/view/board.ts'

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
