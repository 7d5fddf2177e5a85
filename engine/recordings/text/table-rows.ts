import { ServiceError } from '../../model/errors.ts'
import { type Draft, noteAssumed, noteLeft } from '../draft/draft.ts'
import { tabbed } from './blank-cells.ts'
import { openText } from './open-text.ts'
import { type DecimalMark, numberAt } from './parse-number.ts'
import type { SourceFile } from './source-files.ts'

/**
 * Reads the rows of a text table, as positions in bytes: LF or CRLF, cells quoted as in RFC 4180, empty lines skipped.
 * Usage:
 *
 *     while (await rows.more()) while (rows.next()) …
 *
 * A row shorter than `width` is padded with empty cells. A shorter last row without a line end is truncated, and
 * omitted.
 */
export type TableRows = {
  fileName: string
  bytes: Uint8Array
  starts: Int32Array
  /** Ends of cells, without the quotes. */
  ends: Int32Array
  /** Number of cells in the row; `starts` and `ends` have at least `width`. */
  cells: number
  /** Line at which the row starts, from 1. */
  line: number
  width: number
  more: () => Promise<boolean>
  next: () => boolean
}

const LF = 10
const CR = 13
const QUOTE = 34
const TAB = 9
const BLANK = ' '
/** Longest row held in memory: half a million tuples of the reference platform have about 25 MB. */
const ROW_MAX_BYTES = 1 << 26
/** Longest text of a cell, in bytes. */
const TEXT_MAX_BYTES = 1 << 16

/** Largest number of lines in a cell that the end of the file closes; beyond it, its quote is a mistake. */
const QUOTED_LINES_MAX = 100

/** Position and state of a file's scan. */
type Scan = {
  file: SourceFile
  draft: Draft
  separator: number
  chunks: AsyncGenerator<Uint8Array>
  rows: TableRows
  /** Bytes of text in `rows.bytes`, and the offset of the next row. */
  length: number
  position: number
  isLast: boolean
  line: number
  /** Number of cells in the current row. */
  cells: number
  lines: number
}

/**
 * Opens the rows of a table, which are read one by one in bounded memory.
 *
 * @param separator a space stands for any number of spaces and tabs
 * @param draft receives a note about a row that ends too early
 * @param skippedLines number of lines above the table, whatever their content
 * @throws ServiceError invalid_bundle if a row is too long to hold in memory, or a quote is not closed
 */
export function openRows(file: SourceFile, separator: string, draft: Draft, skippedLines = 0): TableRows {
  const rows: TableRows = {
    fileName: file.name,
    bytes: new Uint8Array(0),
    starts: new Int32Array(256),
    ends: new Int32Array(256),
    cells: 0,
    line: 1,
    width: 0,
    more: () => fill(scan),
    next: () => nextRow(scan),
  }
  // Without a spread: V8 reads fields of such an object slowly, which would take half as long again for a row.
  const scan: Scan = {
    file,
    draft,
    rows,
    separator: separator === BLANK ? TAB : separator.charCodeAt(0),
    chunks: separator === BLANK ? tabbed(openBelow(file, skippedLines)) : openBelow(file, skippedLines),
    length: 0,
    position: 0,
    isLast: false,
    line: skippedLines + 1,
    cells: 0,
    lines: 1,
  }
  return rows
}

async function* openBelow(file: SourceFile, lines: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of openText(file)) {
    let at = 0
    for (; lines > 0 && at < chunk.length; at++) if (chunk[at] === LF) lines--
    if (at < chunk.length) yield chunk.subarray(at)
  }
}

/** Drops the rows before `position`, and reads on; false at the end. */
async function fill(scan: Scan): Promise<boolean> {
  if (scan.isLast) return false
  scan.rows.bytes.copyWithin(0, scan.position, scan.length)
  scan.length -= scan.position
  scan.position = 0
  // A row longer than a chunk is scanned again from its start, so each chunk must grow it by much.
  const wanted = Math.max(1, 2 * scan.length)
  while (scan.length < wanted) {
    const { value, done } = await scan.chunks.next()
    if (done) {
      scan.isLast = true
      break
    }
    if (scan.length + value.length > ROW_MAX_BYTES) throw tooLong(scan)
    append(scan, value)
  }
  return scan.length > 0
}

function append(scan: Scan, chunk: Uint8Array): void {
  const { rows, length } = scan
  if (length + chunk.length > rows.bytes.length) {
    const larger = new Uint8Array(Math.max(2 * rows.bytes.length, length + chunk.length))
    larger.set(rows.bytes.subarray(0, length))
    rows.bytes = larger
  }
  rows.bytes.set(chunk, length)
  scan.length += chunk.length
}

/** Advances to the next row that is not empty; false if the available text ends before it does. */
function nextRow(scan: Scan): boolean {
  const { rows } = scan
  while (scan.position < scan.length) {
    const end = scanRow(scan)
    if (!scan.isLast && (end < 0 || end >= scan.length)) return false
    if (end < 0) return endInside(scan)
    const isEmpty = scan.cells === 1 && rows.ends[0] === rows.starts[0]
    const hasEnd = end < scan.length
    if (!hasEnd && !isEmpty && !isWholeWithoutEnd(scan)) return endInside(scan)
    rows.line = scan.line
    scan.line += scan.lines
    scan.position = hasEnd ? end + 1 : scan.length
    if (isEmpty) continue
    rows.cells = scan.cells
    if (scan.cells < rows.width) emptyCells(rows)
    return true
  }
  return false
}

function emptyCells(rows: TableRows): void {
  while (rows.starts.length < rows.width) makeRoom(rows)
  rows.starts.fill(0, rows.cells, rows.width)
  rows.ends.fill(0, rows.cells, rows.width)
}

/** Finds the cells of the row at `position`; returns the position of its end, -1 if the text ends in a quoted cell. */
function scanRow(scan: Scan): number {
  const { rows, separator, length } = scan
  const { bytes } = rows
  let { starts, ends } = rows
  let cells = 0
  scan.lines = 1
  let at = scan.position
  for (;;) {
    let start = at
    let closing = -1
    if (at < length && bytes[at] === QUOTE) {
      start++
      closing = closingQuote(scan, start)
      if (closing < 0) return -1
      // Text after a closing quote belongs to no cell.
      at = closing + 1
    }
    while (at < length && bytes[at] !== separator && bytes[at] !== LF) at++
    if (cells === starts.length) {
      makeRoom(rows)
      starts = rows.starts
      ends = rows.ends
    }
    starts[cells] = start
    ends[cells++] = closing < 0 ? at : closing
    if (at >= length || bytes[at] !== separator) break
    at++
  }
  scan.cells = cells
  const last = cells - 1
  if (ends[last] > starts[last] && bytes[ends[last] - 1] === CR && bytes[ends[last]] !== QUOTE) ends[last]--
  return at
}

/** Finds the closing quote, skipping doubled ones, and counts lines on the way. */
function closingQuote(scan: Scan, start: number): number {
  const { length, rows, isLast } = scan
  const { bytes } = rows
  let at = start
  for (;;) {
    while (at < length && bytes[at] !== QUOTE) {
      if (bytes[at] === LF) scan.lines++
      at++
    }
    if (at + 1 < length && bytes[at + 1] === QUOTE) at += 2
    else break
  }
  return at >= length || (at + 1 >= length && !isLast) ? -1 : at
}

function makeRoom(rows: TableRows): void {
  rows.starts = doubled(rows.starts)
  rows.ends = doubled(rows.ends)
}

function doubled(values: Int32Array): Int32Array {
  const larger = new Int32Array(2 * values.length)
  larger.set(values)
  return larger
}

/** Returns whether a last row without a line end has all its cells, and notes that it was accepted as whole. */
function isWholeWithoutEnd({ rows, cells, file, draft }: Scan): boolean {
  if (cells < rows.width) return false
  if (rows.width > 0) noteAssumed(draft, 'a last line without a line end is a whole one', file.name)
  return true
}

function endInside(scan: Scan): boolean {
  // An unclosed quote has swallowed rows into one cell.
  if (scan.lines > QUOTED_LINES_MAX) throw tooLong(scan)
  scan.position = scan.length
  noteLeft(scan.draft, 'the last line, where the file ends in the middle of it', null, { file: scan.file.name })
  return false
}

function tooLong({ file, line, lines }: Scan): ServiceError {
  const rule = lines > 1 ? 'has a quote that is not closed' : `is longer than ${ROW_MAX_BYTES / 2 ** 20} MiB`
  return new ServiceError('invalid_bundle', `${file.name}, line ${line}: ${rule}`)
}

/**
 * Returns a cell as text, unescaped and trimmed.
 *
 * @throws ServiceError invalid_bundle if it is longer than any name or note
 */
export function cellText(
  { bytes, starts, ends, fileName, line }: TableRows,
  cell: number,
  maxBytes = TEXT_MAX_BYTES,
): string {
  if (cell < 0) return ''
  if (ends[cell] - starts[cell] > maxBytes)
    throw new ServiceError(
      'invalid_bundle',
      `${fileName}, line ${line}: has a text of more than ${maxBytes} bytes in a cell`,
    )
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + starts[cell], ends[cell] - starts[cell]).toString('utf8')
  return (text.includes('""') && bytes[starts[cell] - 1] === QUOTE ? text.replaceAll('""', '"') : text).trim()
}

/** Parses a cell as a number; NaN for anything else, and for column -1. */
export function cellNumber({ bytes, starts, ends }: TableRows, cell: number, decimalMark: DecimalMark): number {
  return cell < 0 ? Number.NaN : numberAt(bytes, starts[cell], ends[cell], decimalMark)
}

export function isEmptyCell({ starts, ends }: TableRows, cell: number): boolean {
  return cell < 0 || starts[cell] === ends[cell]
}

/**
 * Returns a reader of a text column that rarely changes from row to row: it creates a string only when the value
 * changes.
 */
export function repeatedText(cell: number): (rows: TableRows) => string {
  let last = new Uint8Array(0)
  let text = ''
  if (cell < 0) return () => ''
  return (rows) => {
    const { bytes } = rows
    const start = rows.starts[cell]
    const n = rows.ends[cell] - start
    let i = last.length === n ? 0 : -1
    if (i === 0) while (i < n && last[i] === bytes[start + i]) i++
    if (i === n) return text
    last = bytes.slice(start, start + n)
    text = cellText(rows, cell)
    return text
  }
}
