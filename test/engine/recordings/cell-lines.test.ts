import { expect, test } from 'vitest'
import { openCellLines } from '../../../engine/recordings/workbook/cell-lines.ts'

test('a cell of a workbook with a shared text holds the one of its number, from 0', () => {
  const lines = openCellLines({ strings: ['first', 'second'], kinds: ['number'], is1904: false })
  const endShared = (digits: string) => {
    lines.startCell(null, 0)
    return lines.endShared(Buffer.from(digits), 0, digits.length)
  }
  lines.startRow(1)
  expect(['0', '1', '2', '-', ''].map(endShared)).toEqual([true, true, false, false, false])
  lines.endRow()
  expect(lines.take(true)?.toString()).toBe('first\tsecond\t\t\t\n')
})

test('a number is a date only by the style of its cell', () => {
  const lines = openCellLines({ strings: [], kinds: ['date', 'number'], is1904: false })
  lines.startRow(1)
  for (const style of [-1, 0, 1, 2]) {
    lines.startCell(null, style)
    lines.endNumber(Buffer.from('25569'), 0, 5)
  }
  lines.endRow()
  expect(lines.take(true)?.toString()).toBe('25569\t1970-01-01T00:00:00.000\t25569\t25569\n')
})
