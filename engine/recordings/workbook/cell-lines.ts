import { cellOf, dateText, type NumberKind } from './cell-texts.ts'
import { DamagedWorkbook } from './damaged-workbook.ts'

/** Limits of an Excel sheet. */
const [ROWS_MAX, COLUMNS_MAX] = [1_048_576, 16_384]
/**
 * Largest text of a sheet, in bytes: far more than a sheet full of a tracker's numbers, so only a malicious file
 * exceeds it.
 */
const TEXT_MAX_BYTES = 2 ** 33
const CHUNK_BYTES = 1 << 18
/** Largest row, in bytes. Cells may share a long text, so a few letters of a file could fill memory. */
const ROW_MAX_BYTES = 1 << 25
const [TAB, LF] = [9, 10]

/** Workbook data to which the cells of a sheet refer. */
type CellFacts = { strings: string[]; kinds: NumberKind[]; is1904: boolean }

/** Builds lines of a table from the rows and cells of a sheet, in order. */
export type CellLines = {
  /** Starts a row; returns false if it is not after the last one. @param row from 1; null is the next */
  startRow: (row: number | null) => boolean
  /**
   * Starts a cell; returns false if it is not after the last one.
   *
   * @param column from 1; null is the next
   * @param style number of its format
   */
  startCell: (column: number | null, style: number) => boolean
  /** Ends the cell with its value as text. @param type type in the sheet, `n` for a number */
  endCell: (type: string, value: string) => void
  /** Ends the cell with a number as stored, unless its format makes it a date or time. */
  endNumber: (bytes: Uint8Array, start: number, end: number) => void
  /** Ends the cell with the shared text of a number; returns false if there is none. */
  endShared: (bytes: Uint8Array, start: number, end: number) => boolean
  endRow: () => void
  /** Returns a mark of the current end; `restore` discards everything after it. */
  mark: () => Mark
  restore: (mark: Mark) => void
  /** True if the buffered lines fill a chunk, and `take` should be called. */
  isFull: () => boolean
  /** Returns and clears the buffered lines, once they fill a chunk or `isLast` is true; otherwise null. */
  take: (isLast?: boolean) => Buffer | null
}
type Mark = { n: number; row: number; column: number }

export function openCellLines({ strings, kinds, is1904 }: CellFacts): CellLines {
  const text = openText()
  let [row, column] = [0, 0]
  let kind: NumberKind = 'number'
  return {
    startRow: (given) => {
      const next = given ?? row + 1
      if (!(Number.isInteger(next) && next > row && next <= ROWS_MAX)) return false
      text.fill(LF, next - row - 1)
      row = next
      column = 0
      return true
    },
    startCell: (given, style) => {
      const next = given ?? column + 1
      if (!(next > column && next <= COLUMNS_MAX)) return false
      // Write one tab less before the first cell than before any other.
      text.fill(TAB, column === 0 ? next - 1 : next - column)
      column = next
      // An index below 0 is looked up slowly.
      kind = style < 0 ? 'number' : (kinds[style] ?? 'number')
      return true
    },
    endCell: (type, value) => text.write(valueText(type, value, kind, { strings, is1904 })),
    endNumber: (bytes, start, end) => {
      if (kind === 'number') text.copy(bytes, start, end)
      else text.write(valueText('n', latin1(bytes, start, end), kind, { strings, is1904 }))
    },
    endShared: (bytes, start, end) => {
      let index = 0
      for (let at = start; at < end; at++) {
        if (bytes[at] < 48 || bytes[at] > 57) return false
        index = index * 10 + bytes[at] - 48
      }
      const shared = end > start ? strings[index] : undefined
      if (shared !== undefined) text.write(shared)
      return shared !== undefined
    },
    endRow: () => text.fill(LF, 1),
    mark: () => ({ n: text.length(), row, column }),
    restore: (mark) => {
      text.cut(mark.n)
      row = mark.row
      column = mark.column
    },
    isFull: text.isFull,
    take: text.take,
  }
}

/** Buffers the text of a sheet, in chunks. */
function openText() {
  let out = Buffer.allocUnsafe(2 * CHUNK_BYTES)
  let [n, sum] = [0, 0]
  const makeRoom = (bytes: number) => {
    if (n + bytes <= out.length) return
    if (n + bytes > ROW_MAX_BYTES)
      throw new DamagedWorkbook(`has a row of more than ${ROW_MAX_BYTES / 2 ** 20} MiB of text`)
    const larger = Buffer.allocUnsafe(Math.max(2 * out.length, n + bytes))
    out.copy(larger, 0, 0, n)
    out = larger
  }
  return {
    write: (text: string): void => {
      makeRoom(3 * text.length)
      n += out.write(text, n)
    },
    fill: (byte: number, count: number): void => {
      makeRoom(count)
      if (count === 1) out[n] = byte
      else out.fill(byte, n, n + count)
      n += count
    },
    copy: (bytes: Uint8Array, start: number, end: number): void => {
      makeRoom(end - start)
      for (let at = start; at < end; at++) out[n++] = bytes[at]
    },
    length: () => n,
    cut: (length: number): void => {
      n = length
    },
    isFull: () => n >= CHUNK_BYTES,
    take: (isLast = false): Buffer | null => {
      if (n < CHUNK_BYTES && !isLast) return null
      const taken = out.subarray(0, n)
      sum += n
      if (sum > TEXT_MAX_BYTES) throw new DamagedWorkbook('holds more text than a sheet can')
      out = Buffer.allocUnsafe(2 * CHUNK_BYTES)
      n = 0
      return taken
    },
  }
}

export function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}

function valueText(
  type: string,
  value: string,
  kind: NumberKind,
  { strings, is1904 }: Pick<CellFacts, 'strings' | 'is1904'>,
): string {
  if (value === '') return ''
  if (type === 'n') return kind === 'number' ? value.trim() : dateText(Number(value), kind, is1904)
  if (type === 's') {
    const shared = strings[Number(value)]
    if (shared === undefined) throw new DamagedWorkbook(`has a cell with the text ${value}, which is not there`)
    return shared
  }
  return type === 'b' ? (value.trim() === '1' ? 'TRUE' : 'FALSE') : cellOf(value)
}
