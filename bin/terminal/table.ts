import type { Cells, Column, Rows } from '../../engine/model/columns.ts'
import { printable } from './printable.ts'

const CELL_MAX = 40

/** Formats rows as lines of a table: numbers right-aligned, long cells cut, control characters as `·`. */
export function tableLines(columns: Column[], rows: Rows[]): string[] {
  const shown = rows.flatMap(({ n, cells }) =>
    Array.from({ length: n }, (_, i) => cells.map((own) => shortened(cellText(own, i)))),
  )
  const head = columns.map(({ name }) => shortened(name))
  const widths = head.map((name, c) => Math.max(...[name, ...shown.map((row) => row[c])].map(widthOf)))
  const isNumber = columns.map(({ type }) => type === 'int' || type === 'number')
  const line = (row: string[]) =>
    row
      .map((text, c) => padded(text, widths[c], isNumber[c]))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...shown.map(line)]
}

function cellText(cells: Cells, i: number): string {
  if (cells.kind === 'flags') return cells.values[i] === 2 ? '' : String(cells.values[i] === 1)
  if (cells.kind === 'texts') return cells.indexes[i] < 0 ? '' : cells.dictionary[cells.indexes[i]]
  if (cells.kind !== 'exact' && cells.kind !== 'wholes') throw new Error(`a table has cells of kind ${cells.kind}`)
  return Number.isNaN(cells.values[i]) ? '' : String(cells.values[i])
}

function shortened(text: string): string {
  const signs = Array.from(printable(text.slice(0, 4 * CELL_MAX)))
  return signs.length > CELL_MAX ? `${signs.slice(0, CELL_MAX - 1).join('')}…` : signs.join('')
}

function widthOf(text: string): number {
  return Array.from(text).length
}

function padded(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(width - widthOf(text))
  return isRight ? space + text : text + space
}
