import { withTabs } from './blank-cells.ts'
import { columnNamesIn, findHeader, findSpacedHeader, type HeaderPlace } from './find-header.ts'
import { groupsThousands } from './grouped-numbers.ts'
import { COMMA, type DecimalMark, POINT } from './parse-number.ts'
import type { SourceFile } from './source-files.ts'
import { splitRows } from './split-rows.ts'

/** Beginning of a text table: its cell separator, decimal mark, and first rows. */
export type TableHead = HeaderPlace & { decimalMark: DecimalMark; header: string[]; rows: string[][] }

/** Longest name of a column; longer text is not a name. */
const NAME_MAX = 256
const HEADS = new WeakMap<SourceFile, TableHead | null>()

/** Parses the beginning of a table; null if it is not a table with a header of at least two columns. */
export function tableHead(file: SourceFile): TableHead | null {
  if (!HEADS.has(file)) HEADS.set(file, readTableHead(file))
  return HEADS.get(file)!
}

function readTableHead({ head, isWholeHead, sheet }: SourceFile): TableHead | null {
  // JSON has commas and quotes too.
  if (/^\s*[[{]/.test(head)) return null
  const place = sheet === null ? placeIn(head, isWholeHead) : findHeader(head, isWholeHead, ['\t'])
  if (place === null) return null
  const { separator, skippedLines, hasHeader } = place
  const isSpaced = separator === ' '
  const below = textAfter(head, skippedLines)
  const all = splitRows(isSpaced ? withTabs(below) : below, isSpaced ? '\t' : separator)
  // The head may end inside a row.
  if (!isWholeHead && all.length > 1) all.pop()
  const first = all[0] ?? []
  const rows = hasHeader ? all.slice(1) : all
  // Columns without a name are called by their number.
  const header = hasHeader ? namesOver(rows, first, below) : first.map((_, i) => String(i + 1))
  return {
    ...place,
    decimalMark: decimalMarkOf(rows, separator),
    header: header.map((name) => name.trim().slice(0, NAME_MAX)),
    rows,
  }
}

/** Two numbers with decimal commas and a space or tab between them: the comma is not the cell separator. */
const DECIMAL_COMMAS = /\d,\d+"?[ \t]+"?[+-]?\d+,\d/

function placeIn(head: string, isWholeHead: boolean): HeaderPlace | null {
  const place = findHeader(head, isWholeHead)
  const isMistaken = place?.separator === ',' && DECIMAL_COMMAS.test(textAfter(head, place.skippedLines))
  return place === null || isMistaken ? (findSpacedHeader(withTabs(head), isWholeHead) ?? place) : place
}

/** Returns the column names, with an empty one over the row names that R writes without a header. */
function namesOver(rows: string[][], first: string[], text: string): string[] {
  const names = columnNamesIn(first, rows[0]?.length ?? 0)
  return hasNamedRows(rows, names, text) ? ['', ...names] : names
}

/**
 * Returns whether rows have one cell more than the header and start with their names, as R's write.table writes them:
 * numbered from 1, or quoted. A table whose last column lacks a name is a different case.
 */
function hasNamedRows(rows: string[][], { length }: string[], text: string): boolean {
  const isLonger = rows.length > 0 && rows.every((cells) => cells.length === length + 1)
  if (!isLonger || new Set(rows.map(([name]) => name)).size < rows.length) return false
  const second = text.slice(text.indexOf('\n') + 1).trimStart()
  return second.startsWith('"') || rows.every(([name], i) => name === String(i + 1))
}

function textAfter(text: string, lines: number): string {
  let at = 0
  for (let line = 0; line < lines; line++) at = text.indexOf('\n', at) + 1
  return text.slice(at)
}

/** Largest number of rows that tell the decimal mark. */
const MARK_ROWS = 200

/**
 * Returns the decimal mark: a comma if more cells hold decimals with a comma than with a point. A mark that groups
 * thousands is never the decimal mark.
 */
function decimalMarkOf(rows: string[][], separator: string): DecimalMark {
  const columns = (rows[0] ?? []).map((_, cell) => rows.map((cells) => cells[cell] ?? ''))
  if (columns.some((cells) => groupsThousands(cells, '.'))) return COMMA
  const cells = columns.flatMap((all) => (groupsThousands(all, ',') ? [] : all.slice(0, MARK_ROWS)))
  const commas = cells.filter((cell) => /^\s*[+-]?\d+,\d+\s*$/.test(cell)).length
  const points = cells.filter((cell) => /^\s*[+-]?\d+\.\d+\s*$/.test(cell)).length
  return commas > points && (separator !== ',' || points === 0) ? COMMA : POINT
}

/** Finds a column by any of its names, first as written, then case-insensitively; -1 if missing. */
export function columnIn(header: string[], ...names: string[]): number {
  const exact = header.findIndex((name) => names.includes(name))
  if (exact >= 0) return exact
  const wanted = names.map((name) => name.toLowerCase())
  return header.findIndex((name) => wanted.includes(name.toLowerCase()))
}

export function hasColumns(header: string[], ...names: string[]): boolean {
  return names.every((name) => columnIn(header, name) >= 0)
}
