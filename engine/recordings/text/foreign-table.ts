import { COMMA, type DecimalMark, POINT } from './parse-number.ts'
import type { SourceFile } from './source-files.ts'

/** Holds how a table of text begins: what separates its cells, which mark its decimals have, and its first rows. */
export type TableHead = { separator: string; decimalMark: DecimalMark; header: string[]; rows: string[][] }

const SEPARATORS = ['\t', ';', ',', '|']
/** What is longer is no column's name. */
const NAME_MAX = 256
const HEADS = new WeakMap<SourceFile, TableHead | null>()

/** Returns how a table begins; null for what is no table with a header of at least two columns. */
export function tableHead(file: SourceFile): TableHead | null {
  if (!HEADS.has(file)) HEADS.set(file, readTableHead(file))
  return HEADS.get(file)!
}

function readTableHead({ head, isWholeHead }: SourceFile): TableHead | null {
  // JSON has commas and quotes too.
  if (/^\s*[[{]/.test(head)) return null
  const first = head.slice(0, head.search(/\r?\n|$/))
  const counts = SEPARATORS.map((separator) => splitRow(first, separator).length)
  const most = Math.max(...counts)
  if (most < 2) return null
  const separator = SEPARATORS[counts.indexOf(most)]
  const all = splitRows(head, separator)
  // The head may end inside a row.
  if (!isWholeHead && all.length > 1) all.pop()
  const [header, ...rows] = all
  return {
    separator,
    decimalMark: decimalMarkOf(rows, separator),
    header: header.map((name) => name.trim().slice(0, NAME_MAX)),
    rows,
  }
}

function splitRow(line: string, separator: string): string[] {
  return splitRows(line, separator)[0] ?? []
}

/** Splits a short text into rows of cells; empty lines are skipped. */
export function splitRows(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let wasQuoted = false
  const endRow = () => {
    cells.push(wasQuoted ? cell : cell.replace(/\r$/, ''))
    if (cells.length > 1 || cells[0] !== '') rows.push(cells)
    cells = []
    cell = ''
    wasQuoted = false
  }
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[i + 1] === '"') cell += text[i++]
      else isQuoted = false
    } else if (letter === '"' && cell === '') {
      isQuoted = true
      wasQuoted = true
    } else if (letter === separator) {
      cells.push(cell)
      cell = ''
      wasQuoted = false
    } else if (letter === '\n') endRow()
    else if (!wasQuoted) cell += letter
  }
  if (cell !== '' || cells.length > 0) endRow()
  return rows
}

/** Returns a comma where more cells hold decimals with one than with a point. */
function decimalMarkOf(rows: string[][], separator: string): DecimalMark {
  const cells = rows.slice(0, 200).flat()
  const commas = cells.filter((cell) => /^\s*[+-]?\d+,\d+\s*$/.test(cell)).length
  const points = cells.filter((cell) => /^\s*[+-]?\d+\.\d+\s*$/.test(cell)).length
  return commas > points && (separator !== ',' || points === 0) ? COMMA : POINT
}

/** Finds a column by any of its names, as they are written, else whatever their case; -1 if it is not there. */
export function columnIn(header: string[], ...names: string[]): number {
  const exact = header.findIndex((name) => names.includes(name))
  if (exact >= 0) return exact
  const wanted = names.map((name) => name.toLowerCase())
  return header.findIndex((name) => wanted.includes(name.toLowerCase()))
}

export function hasColumns(header: string[], ...names: string[]): boolean {
  return names.every((name) => columnIn(header, name) >= 0)
}
