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
