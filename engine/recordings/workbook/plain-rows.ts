import { type CellLines, latin1 } from './cell-lines.ts'

/** Position of a scan, and the contents of the tag before it. */
type Scan = {
  bytes: Uint8Array
  at: number
  /** Number in the reference of a row or cell, from 1; null if it has none. */
  number: number | null
  /** Number of a cell's format, and the cell's type, `n` if it has none. */
  style: number
  type: string
  /** True if the tag also ends its element. */
  isEmpty: boolean
}

const [SPACE, QUOTE, AMPERSAND, SLASH, LESS, EQUALS, GREATER, TILDE] = [32, 34, 38, 47, 60, 61, 62, 126]
const [TAB, LF, CR] = [9, 10, 13]
const [REFERENCE, STYLE, TYPE] = [114, 115, 116]
const [ROW, ROW_END, CELL, CELL_END, VALUE, VALUE_END] = ['<row', '</row>', '<c', '</c>', '<v>', '</v></c>'].map(
  (text) => Buffer.from(text),
)
const DIGITS_MAX = 9
/** 1 for each byte of plain text: printable ASCII that begins neither a tag nor an entity. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= SPACE && byte <= TILDE && byte !== LESS && byte !== AMPERSAND),
)

/**
 * Returns a fast reader of a row at a position between two rows. It handles the form that nearly all programs write for
 * nearly all rows: cells with a number, a shared text or another plain value, ASCII without entities. It is several
 * times as fast as an XML parser, which reads all other rows.
 *
 * @returns a function that returns the end of the row; -1 for any other row, and for an incomplete one, of which it
 * keeps nothing
 */
export function openPlainRows(lines: CellLines): (bytes: Uint8Array, start: number) => number {
  const scan: Scan = { bytes: new Uint8Array(0), at: 0, number: null, style: -1, type: 'n', isEmpty: false }
  return (bytes, start) => {
    scan.bytes = bytes
    scan.at = start
    const mark = lines.mark()
    if (readRow(scan, lines)) return scan.at
    lines.restore(mark)
    return -1
  }
}

function readRow(scan: Scan, lines: CellLines): boolean {
  skipSpace(scan)
  if (!skip(scan, ROW) || !readAttributes(scan, false) || !lines.startRow(scan.number)) return false
  let isEnded = scan.isEmpty
  while (!isEnded) {
    skipSpace(scan)
    if (skip(scan, CELL)) {
      if (!readAttributes(scan, true) || !lines.startCell(scan.number, scan.style)) return false
      if (!readValue(scan, lines)) return false
    } else if (skip(scan, ROW_END)) isEnded = true
    else return false
  }
  lines.endRow()
  return true
}

/** Reads the value of a cell, and its end. */
function readValue(scan: Scan, lines: CellLines): boolean {
  const { bytes, type } = scan
  if (scan.isEmpty || skip(scan, CELL_END)) return true
  if (!skip(scan, VALUE)) return false
  const start = scan.at
  let end = start
  while (PLAIN[bytes[end]] === 1) end++
  scan.at = end
  if (!skip(scan, VALUE_END)) return false
  if (type === 's') return lines.endShared(bytes, start, end)
  if (type !== 'n') lines.endCell(type, latin1(bytes, start, end))
  else if (bytes[start] === SPACE || bytes[end - 1] === SPACE) return false
  else if (end > start) lines.endNumber(bytes, start, end)
  return true
}

/** Reads the attributes of a row or a cell, and the end of its tag. */
function readAttributes(scan: Scan, isCell: boolean): boolean {
  const { bytes } = scan
  scan.number = null
  scan.style = -1
  scan.type = 'n'
  while (bytes[scan.at] === SPACE) {
    const name: number = bytes[++scan.at]
    let at = scan.at
    while (PLAIN[bytes[at]] === 1 && bytes[at] !== EQUALS) at++
    const isShort = at === scan.at + 1
    if (bytes[at] !== EQUALS || bytes[at + 1] !== QUOTE) return false
    scan.at = at + 2
    if (isShort && name === REFERENCE) {
      if (!(isCell ? readColumn(scan) : readWhole(scan))) return false
    } else if (isShort && name === STYLE && isCell) {
      const reference: number | null = scan.number
      if (!readWhole(scan)) return false
      scan.style = scan.number ?? -1
      scan.number = reference
    } else {
      at = scan.at
      while (PLAIN[bytes[at]] === 1 && bytes[at] !== QUOTE) at++
      if (isShort && name === TYPE && isCell)
        scan.type = at === scan.at + 1 ? String.fromCharCode(bytes[scan.at]) : latin1(bytes, scan.at, at)
      scan.at = at
    }
    if (bytes[scan.at++] !== QUOTE) return false
  }
  scan.isEmpty = bytes[scan.at] === SLASH
  if (scan.isEmpty) scan.at++
  return bytes[scan.at++] === GREATER
}

/** Reads a whole number without leading zeros, except 0 itself. */
function readWhole(scan: Scan): boolean {
  const { bytes } = scan
  const start = scan.at
  let number = 0
  for (; bytes[scan.at] >= 48 && bytes[scan.at] <= 57; scan.at++) number = number * 10 + bytes[scan.at] - 48
  scan.number = number
  return scan.at > start && scan.at - start <= DIGITS_MAX
}

/** Reads the column of a reference, such as 28 for AB7. */
function readColumn(scan: Scan): boolean {
  const { bytes } = scan
  const start = scan.at
  let column = 0
  for (; bytes[scan.at] >= 65 && bytes[scan.at] <= 90; scan.at++) column = column * 26 + bytes[scan.at] - 64
  const isColumn = scan.at > start && scan.at - start <= 3 && readWhole(scan)
  scan.number = column
  return isColumn
}

function skip(scan: Scan, tag: Uint8Array): boolean {
  const { bytes, at } = scan
  for (let i = 0; i < tag.length; i++) if (bytes[at + i] !== tag[i]) return false
  scan.at = at + tag.length
  return true
}

function skipSpace(scan: Scan): void {
  for (;;) {
    const byte = scan.bytes[scan.at]
    if (byte !== SPACE && byte !== LF && byte !== CR && byte !== TAB) return
    scan.at++
  }
}
