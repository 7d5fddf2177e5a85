import { ServiceError } from '../../model/errors.ts'
import { type Draft, noteAssumed, noteLeft } from '../bundle/draft.ts'
import { openText } from './open-text.ts'
import { type DecimalMark, numberAt } from './parse-number.ts'
import type { SourceFile } from './source-files.ts'

/**
 * Rows of a table of text, as places in bytes: LF or CRLF, cells quoted as in RFC 4180, empty lines skipped. Use it so:
 *
 *     while (await rows.more()) while (rows.next()) …
 *
 * A row that is shorter than `width` has empty cells at its end. A last row that is shorter and has no line end is half a row, and
 * left out.
 */
export type Rows = {
  bytes: Uint8Array
  starts: Int32Array
  /** Without the quotes. */
  ends: Int32Array
  /** How many cells the row has; `starts` and `ends` have at least `width`. */
  cells: number
  /** Where the row starts, from 1. */
  line: number
  width: number
  more: () => Promise<boolean>
  next: () => boolean
}

const LF = 10
const CR = 13
const QUOTE = 34
/** The longest row that is held in memory: half a million tuples of the reference platform have about 25 MB. */
const ROW_MAX_BYTES = 1 << 29

/** A cell of more lines than these, at the end of a file, has a quote that should not be there. */
const QUOTED_LINES_MAX = 100

/** Opens the rows of a table. @param draft notes a row that ends too early */
export function openRows(file: SourceFile, separator: string, draft: Draft): Rows {
  const separatorCode = separator.charCodeAt(0)
  const chunks = openText(file)
  let buffer = new Uint8Array(1 << 21)
  let length = 0
  let position = 0
  let line = 1
  let isLast = false
  let wanted = 1
  let starts = new Int32Array(256)
  let ends = new Int32Array(256)

  const more = async (): Promise<boolean> => {
    if (isLast) return false
    buffer.copyWithin(0, position, length)
    length -= position
    position = 0
    // A row that is longer than a chunk is scanned again from its start, so it must have grown much.
    wanted = Math.max(1, length)
    let got = 0
    while (got < wanted) {
      const { value, done } = await chunks.next()
      if (done) {
        isLast = true
        break
      }
      if (length + value.length > ROW_MAX_BYTES) throw openQuote()
      if (length + value.length > buffer.length) {
        const larger = new Uint8Array(Math.max(2 * buffer.length, length + value.length))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(value, length)
      length += value.length
      got += value.length
    }
    rows.bytes = buffer
    return length > 0
  }

  const grow = () => {
    const larger = [new Int32Array(2 * starts.length), new Int32Array(2 * starts.length)]
    larger[0].set(starts)
    larger[1].set(ends)
    starts = larger[0]
    ends = larger[1]
    rows.starts = starts
    rows.ends = ends
  }

  const next = (): boolean => {
    const bytes = buffer
    const n = length
    for (;;) {
      if (position >= n) return false
      let at = position
      let cell = 0
      let start = at
      let lines = 1
      let hasEnd = false
      let isEnded = false
      while (!isEnded) {
        if (at < n && bytes[at] === QUOTE) {
          // Quoted: up to a quote that is not doubled.
          at++
          start = at
          for (;;) {
            while (at < n && bytes[at] !== QUOTE) {
              if (bytes[at] === LF) lines++
              at++
            }
            if (at + 1 < n && bytes[at + 1] === QUOTE) at += 2
            else break
          }
          if (at >= n || (at + 1 >= n && !isLast)) {
            if (!isLast) return false
            return endInside(lines)
          }
          if (cell === starts.length) grow()
          starts[cell] = start
          ends[cell++] = at
          at++
          // What follows a closing quote belongs to no cell.
          while (at < n && bytes[at] !== separatorCode && bytes[at] !== LF) at++
        } else {
          while (at < n && bytes[at] !== separatorCode && bytes[at] !== LF) at++
          if (cell === starts.length) grow()
          starts[cell] = start
          ends[cell++] = at
        }
        if (at >= n) {
          if (!isLast) return false
          isEnded = true
        } else if (bytes[at] === LF) {
          hasEnd = true
          isEnded = true
        } else {
          at++
          start = at
        }
      }
      const lastCell = cell - 1
      if (ends[lastCell] > starts[lastCell] && bytes[ends[lastCell] - 1] === CR && bytes[ends[lastCell]] !== QUOTE)
        ends[lastCell]--
      const isEmpty = cell === 1 && ends[0] === starts[0]
      if (!hasEnd && !isEmpty) {
        if (cell < rows.width) return endInside(lines)
        if (rows.width > 0)
          noteAssumed(draft, `${file.name} ends without a line end: its last line was taken for a whole one`)
      }
      rows.line = line
      line += lines
      position = hasEnd ? at + 1 : n
      if (isEmpty) continue
      rows.cells = cell
      for (; cell < rows.width; cell++) {
        if (cell === starts.length) grow()
        starts[cell] = 0
        ends[cell] = 0
      }
      return true
    }
  }

  const openQuote = () =>
    new ServiceError('invalid_bundle', `${file.name}, line ${line}: has a quote that is not closed`)
  const endInside = (lines: number): boolean => {
    // It has taken rows into one cell that are rows of their own.
    if (lines > QUOTED_LINES_MAX) throw openQuote()
    position = length
    noteLeft(draft, `the last line of ${file.name}, where the file ends in the middle of it`)
    return false
  }

  const rows: Rows = { bytes: buffer, starts, ends, cells: 0, line: 1, width: 0, more, next }
  return rows
}

/** Returns a cell as text, unescaped, without spaces around it. */
export function cellText({ bytes, starts, ends }: Rows, cell: number): string {
  if (cell < 0) return ''
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + starts[cell], ends[cell] - starts[cell]).toString('utf8')
  return (text.includes('""') && bytes[starts[cell] - 1] === QUOTE ? text.replaceAll('""', '"') : text).trim()
}

/** Returns a cell as a number; NaN for anything that is not one, and for column -1. */
export function cellNumber({ bytes, starts, ends }: Rows, cell: number, decimalMark: DecimalMark): number {
  return cell < 0 ? Number.NaN : numberAt(bytes, starts[cell], ends[cell], decimalMark)
}

export function isEmptyCell({ starts, ends }: Rows, cell: number): boolean {
  return cell < 0 || starts[cell] === ends[cell]
}

/** Returns a reader of a column whose text seldom changes from row to row: it makes a string only when it does. */
export function repeatedText(cell: number): (rows: Rows) => string {
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
