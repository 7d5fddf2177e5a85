import type { Column } from '../registry.ts'

/**
 * Takes rows one at a time: cell c is `bytes` from `starts[c]` to `ends[c]`, without quotes, and only until the next row. The first
 * `same` cells are those of the row before, as identities are for a whole test: what was made of them can be copied.
 */
export type RowWriter = {
  writeRow: (bytes: Uint8Array, starts: Int32Array, ends: Int32Array, same: number) => void
  /** The bytes that are finished, in order, given away: each piece in memory of its own. */
  take: () => Uint8Array[]
  /** Ends the file, and gives what is left of it. */
  end: () => Uint8Array[]
}

const QUOTE = 34
const COMMA = 44
const LF = 10

/**
 * Cuts our own CSV (SPEC section 7) into rows again, from blocks that end anywhere. The header is passed over.
 *
 * @returns `push` for each block; `end`, which says how many rows there were, and throws when the last was cut short
 */
export function readRows(width: number, writer: RowWriter): { push: (block: Uint8Array) => void; end: () => number } {
  const starts = new Int32Array(width)
  const ends = new Int32Array(width)
  /** Where the comma or line end behind each cell is. */
  const stops = new Int32Array(width)
  const hasDoubled = new Uint8Array(width)
  let bytes = new Uint8Array(0)
  let length = 0
  let rows = -1

  /** How many leading cells of the row at `from` are those of the row at `before`, byte for byte; their places are set. */
  function sameCells(before: number, from: number): number {
    if (before < 0) return 0
    let at = 0
    while (from + at < length && bytes[before + at] === bytes[from + at]) at++
    let c = 0
    for (; c < width - 1 && stops[c] < before + at; c++) {
      starts[c] += from - before
      ends[c] += from - before
      stops[c] += from - before
    }
    return c
  }

  /** Where the row at `from` ends, behind its line end; -1 when it is not whole yet. The first `same` cells are known. */
  function cutRow(from: number, same: number): number {
    let at = same === 0 ? from : stops[same - 1] + 1
    for (let c = same; c < width; c++) {
      hasDoubled[c] = 0
      if (at < length && bytes[at] === QUOTE) {
        starts[c] = at + 1
        let close = bytes.indexOf(QUOTE, at + 1)
        while (close >= 0 && close + 1 < length && bytes[close + 1] === QUOTE) {
          hasDoubled[c] = 1
          close = bytes.indexOf(QUOTE, close + 2)
        }
        // Behind `length` lies what an earlier row left.
        if (close < 0 || close + 1 >= length) return -1
        ends[c] = close
        at = close + 1
      } else {
        starts[c] = at
        while (at < length && bytes[at] !== COMMA && bytes[at] !== LF) at++
        if (at >= length) return -1
        ends[c] = at
      }
      if (bytes[at] !== (c === width - 1 ? LF : COMMA)) throw new Error('a row is not as wide as its header')
      stops[c] = at++
    }
    return at
  }

  return {
    push: (block) => {
      if (length + block.length > bytes.length) {
        const larger = new Uint8Array(Math.max(2 * bytes.length, length + block.length))
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      bytes.set(block, length)
      length += block.length
      let before = -1
      let from = 0
      for (;;) {
        const same = sameCells(before, from)
        const next = cutRow(from, same)
        if (next < 0) break
        for (let c = same; c < width; c++) if (hasDoubled[c] === 1) ends[c] = undouble(bytes, starts[c], ends[c])
        if (rows >= 0) writer.writeRow(bytes, starts, ends, rows === 0 ? 0 : same)
        rows++
        before = from
        from = next
      }
      bytes.copyWithin(0, from, length)
      length -= from
    },
    end: () => {
      if (length > 0 || rows < 0) throw new Error('the last row is not whole')
      return rows
    },
  }
}

/** Makes one of two quotes, in place; returns the new end. */
function undouble(bytes: Uint8Array, start: number, end: number): number {
  let to = start
  for (let at = start; at < end; at++) {
    bytes[to++] = bytes[at]
    if (bytes[at] === QUOTE) at++
  }
  return to
}

/**
 * Whether a cell of this column is null in formats that have null: where it is empty or reads as the column's missing value. Not
 * `false` and `[]`, which are also what a known value looks like, and not the empty text of a column that is never missing.
 */
export function missingIn({ type, missing }: Column): (bytes: Uint8Array, start: number, end: number) => boolean {
  const isText = TEXT_TYPES.includes(type)
  const sign = type === 'boolean' || missing === null || missing === '' ? null : Buffer.from(missing)
  if (type === 'json' || sign === null) {
    const isNullWhenEmpty = !isText || missing !== null
    return (_bytes, start, end) => isNullWhenEmpty && start === end
  }
  return (bytes, start, end) => start === end || sign.equals(bytes.subarray(start, end))
}

const TEXT_TYPES: Column['type'][] = ['uuid', 'string', 'url', 'datetime', 'json']
export const isText = ({ type }: Column): boolean => TEXT_TYPES.includes(type)

/** A number as our CSV prints it. */
export function parseNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = bytes[at] === 45
  if (isNegative) at++
  let digits = 0
  let power = 1
  let isFraction = false
  for (; at < end; at++) {
    if (bytes[at] === 46) isFraction = true
    else {
      digits = digits * 10 + bytes[at] - 48
      if (isFraction) power *= 10
    }
  }
  // Both exact, so that their quotient is the nearest double; longer ones are left to the slow way.
  if (digits > Number.MAX_SAFE_INTEGER) return Number(Buffer.from(bytes.subarray(start, end)).toString('latin1'))
  return (isNegative ? -digits : digits) / power
}
