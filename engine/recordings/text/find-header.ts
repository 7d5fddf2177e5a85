import { splitRows } from './split-rows.ts'

/**
 * Start of a table in a text: the cell separator, the number of lines above the table, and whether its first row names
 * the columns.
 */
export type HeaderPlace = { separator: string; skippedLines: number; hasHeader: boolean }

const SEPARATORS = ['\t', ';', ',', '|']
/** Number of lines to examine; trackers write fewer above their tables. */
const LINES_MAX = 400
/** Number of rows, the last ones available, that determine the width of a table. */
const ROWS_MAX = 50
/** iMotions' line above the header. */
const DATA_FOLLOWS = /^"?#DATA\b/
/** Start of a comment; MATLAB uses a percent sign. */
const COMMENT = /^"?[#%]/
const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i
const MISSING = /^(na|nan|n\/a|null|[.-])?$/i

/**
 * Finds the header of a table: its first line, unless that has less than half as many cells as the lines below, is a
 * comment, or contains only numbers. In these cases, the header is the first line after comments that is as wide as the
 * rows; if that contains only numbers, there is no header.
 *
 * @param separators candidate separators
 * @returns null if it is not a table of at least two columns
 */
export function findHeader(head: string, isWholeHead: boolean, separators = SEPARATORS): HeaderPlace | null {
  const lines = head.split('\n', LINES_MAX + 1)
  if (!isWholeHead || lines.length > LINES_MAX) lines.pop()
  const first = widest(lines[0] ?? head, separators)
  const rows = lines.slice(-ROWS_MAX)
  const usual = new Map(separators.map((separator) => [separator, usualWidth(rows, separator)]))
  const width = Math.max(...usual.values())
  const isPlain = first.width >= 2 && 2 * first.width >= width && !COMMENT.test(lines[0] ?? '')
  if (isPlain && !isAllNumbers(lines[0] ?? head, first.separator))
    return { separator: first.separator, skippedLines: 0, hasHeader: true }
  return width < 2
    ? null
    : (behindComments(lines, usual) ?? (first.width < 2 ? null : { ...first, skippedLines: 0, hasHeader: true }))
}

/** Least share of equally wide rows in a table separated by spaces, and least number of numbers in each. */
const [ALIKE, NUMBERS_LEAST] = [0.9, 2]

/**
 * Finds the header of a table whose cells are separated by spaces. So are words: most rows must therefore be equally
 * wide, and the header as wide as they are, or one cell narrower, as R writes it above rows with names.
 *
 * @param head with tabs in place of spaces
 */
export function findSpacedHeader(head: string, isWholeHead: boolean): HeaderPlace | null {
  const place = findHeader(head, isWholeHead, ['\t'])
  if (place === null) return null
  const lines = head.split('\n', LINES_MAX + 1)
  const rows = lines.slice(place.skippedLines + (place.hasHeader ? 1 : 0), -1).filter((line) => line.trim() !== '')
  const width = usualWidth(rows.slice(-ROWS_MAX), '\t')
  const isRow = (line: string) => {
    const cells = cellsOf(line, '\t')
    return cells.length === width && cells.filter((cell) => NUMBER.test(cell)).length >= NUMBERS_LEAST
  }
  if (width < 2 || rows.filter(isRow).length < ALIKE * rows.length) return null
  const names = columnNamesIn(cellsOf(lines[place.skippedLines], '\t'), width)
  return !place.hasHeader || names.length === width || names.length === width - 1 ? { ...place, separator: ' ' } : null
}

/** Returns the column names in a header's cells, of which the first may only be a comment sign. */
export function columnNamesIn(cells: string[], width: number): string[] {
  return cells.length === width + 1 && /^[#%]$/.test(cells[0]) ? cells.slice(1) : cells
}

function behindComments(lines: string[], usual: Map<string, number>): HeaderPlace | null {
  const marked = lines.findIndex((line) => DATA_FOLLOWS.test(line))
  for (let at = marked + 1; at < lines.length; at++) {
    const line = lines[at]
    if (COMMENT.test(line)) continue
    for (const [separator, rowWidth] of usual) {
      if (rowWidth < 2 || widthOf(line, separator) < rowWidth - 1) continue
      // The last comment may name the columns.
      const above = lines[at - 1] ?? ''
      const isNamed =
        marked !== at - 1 && /^[#%]/.test(above) && widthOf(above, separator) >= rowWidth && hasNumber(line, separator)
      return { separator, skippedLines: isNamed ? at - 1 : at, hasHeader: isNamed || !isAllNumbers(line, separator) }
    }
  }
  return null
}

/** Returns the separator that gives a line the most cells. */
function widest(line: string, separators: string[]): { separator: string; width: number } {
  const widths = separators.map((separator) => widthOf(line, separator))
  const width = Math.max(...widths)
  return { separator: separators[widths.indexOf(width)], width }
}

/** Returns the number of cells in most lines; 0 if fewer than three, or less than a third of them, agree. */
function usualWidth(lines: string[], separator: string): number {
  const counts = new Map<number, number>()
  for (const line of lines) {
    const width = widthOf(line, separator)
    if (width > 1) counts.set(width, (counts.get(width) ?? 0) + 1)
  }
  const [width, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [0, 0]
  return count >= 3 || 3 * count >= lines.length ? width : 0
}

function widthOf(line: string, separator: string): number {
  return cellsOf(line, separator).length
}

function cellsOf(line: string, separator: string): string[] {
  return splitRows(line.endsWith('\r') ? line.slice(0, -1) : line, separator)[0] ?? []
}

function isAllNumbers(line: string, separator: string): boolean {
  const cells = cellsOf(line, separator).map((cell) => cell.trim())
  return cells.some((cell) => NUMBER.test(cell)) && cells.every((cell) => NUMBER.test(cell) || MISSING.test(cell))
}

function hasNumber(line: string, separator: string): boolean {
  return cellsOf(line, separator).some((cell) => NUMBER.test(cell.trim()))
}
