import { DAY_MS, isMissing, MAX_PX } from './cells.ts'

/**
 * Reads what samples.csv mostly is: an id, plain numbers and flags between commas, a row a line. Anything else, also anything wrong,
 * makes it give up, and DuckDB and check-samples.ts see to it; so what is taken here must mean the same there (SPEC section 2).
 * Twice as fast as DuckDB's reader, which has to be ready for everything.
 */
export type PlainRows = {
  n: number
  /** Those of tests, as they stand in the file. */
  ids: string[]
  /** Of each row, in `ids`. */
  test: Int32Array
  tUs: Float64Array
  gazeXPx: Float64Array
  gazeYPx: Float64Array
  scrollYPx: Float64Array
  mouseXPx: Float64Array
  mouseYPx: Float64Array
  /** 0 or 1. */
  isClick: Uint8Array
  /** What all of these look at. */
  memory: ArrayBuffer
}

/** In the order of SAMPLE_COLUMNS: their places there tell columns apart. */
const [TEST_ID, GAZE_X, GAZE_Y, SCROLL_Y, MOUSE_X, MOUSE_Y, IS_CLICK] = [0, 2, 3, 4, 5, 6, 7]
const BOUNDS = Float64Array.of(0, DAY_MS, MAX_PX, MAX_PX, MAX_PX, MAX_PX, MAX_PX, 0)
const NUMBER_COLUMNS = 6
const ID_BYTES = 36
const [LF, CR, COMMA, DOT, MINUS, ZERO, ONE] = [10, 13, 44, 46, 45, 48, 49]
/** `true` and `alse` as four bytes, the highest first. */
const [TRUE, ALSE] = [0x74727565, 0x616c7365]
const F = 0x66
const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6]
/** Cells that are not a few digits are looked at as text, and are not longer. */
const TEXT_MAX_BYTES = 32
/** As check-samples.ts has it, but for signs and blanks that nobody writes, and exponents that may not fit a double. */
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d\d?)?$/i
const MISSING = ['NA', 'NaN', 'nan']

/** Where columns are gathered; kept from call to call. Rows are made exact when they are handed out. */
type Scratch = { rows: number; test: Int32Array; columns: Float64Array[]; isClick: Uint8Array }
let scratch = makeScratch(1 << 14)

function makeScratch(rows: number): Scratch {
  const columns = Array.from({ length: NUMBER_COLUMNS }, () => new Float64Array(rows))
  return { rows, test: new Int32Array(rows), columns, isClick: new Uint8Array(rows) }
}

/**
 * Reads whole lines.
 *
 * @param bytes there must be 64 more after `end`, whatever they are
 * @param order of each column of the file, its place in SAMPLE_COLUMNS; test_id and t_ms must be among them
 * @returns null when any line is not plain
 */
export function parseSamples(bytes: Uint8Array, start: number, end: number, order: Uint8Array): PlainRows | null {
  const shortest = ID_BYTES + order.length
  const most = Math.ceil((end - start) / shortest)
  if (scratch.rows < most) scratch = makeScratch(most)
  const { test, columns, isClick } = scratch
  for (const column of [GAZE_X, GAZE_Y, SCROLL_Y, MOUSE_X, MOUSE_Y]) {
    if (!order.includes(column)) columns[column - 1].fill(Number.NaN, 0, most)
  }
  isClick.fill(0, 0, most)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const ids: string[] = []
  const known = new Map<string, number>()
  const last = order.length - 1
  let at = start
  let row = 0
  let idAt = -1
  let id = -1
  while (at < end) {
    // Fewer bytes than the shortest line would have rows beyond the scratch.
    if (row === most) return null
    for (let c = 0; c <= last; c++) {
      const column = order[c]
      if (column === TEST_ID) {
        if (idAt < 0 || !isSameId(view, at, idAt)) {
          const text = textOf(bytes, at, at + ID_BYTES)
          id = known.get(text) ?? -1
          if (id < 0) {
            id = ids.length
            known.set(text, id)
            ids.push(text)
          }
        }
        idAt = at
        at += ID_BYTES
        test[row] = id
      } else if (column === IS_CLICK) {
        const byte = bytes[at]
        if (byte === F && view.getInt32(at + 1) === ALSE) at += 5
        else if (byte === ZERO) at++
        else if (byte === ONE) {
          isClick[row] = 1
          at++
        } else if (view.getInt32(at) === TRUE) {
          isClick[row] = 1
          at += 4
        } else at = skipMissing(bytes, at)
      } else {
        const target = columns[column - 1]
        at = parseNumber(bytes, at, target, row)
        const value = target[row]
        const bound = BOUNDS[column]
        if (value > bound || value < -bound) return null
      }
      if (c < last) {
        if (bytes[at++] !== COMMA) return null
      } else {
        if (bytes[at] === CR) at++
        if (bytes[at++] !== LF) return null
      }
    }
    row++
  }
  return at === end ? rowsOf(scratch, row, ids) : null
}

function isSameId(view: DataView, a: number, b: number): boolean {
  for (let i = 0; i < ID_BYTES; i += 4) if (view.getInt32(a + i) !== view.getInt32(b + i)) return false
  return true
}

/**
 * Puts a cell's number into `target[row]`, NaN where it is missing, Infinity where it is no number.
 *
 * @returns where the cell ends
 */
function parseNumber(bytes: Uint8Array, start: number, target: Float64Array, row: number): number {
  let at = start
  let byte = bytes[at]
  if (byte === COMMA || byte === LF) {
    target[row] = Number.NaN
    return at
  }
  const isNegative = byte === MINUS
  if (isNegative) byte = bytes[++at]
  const wholeAt = at
  let whole = 0
  while (byte >= ZERO && byte < ZERO + 10) {
    whole = (Math.imul(whole, 10) + byte - ZERO) | 0
    byte = bytes[++at]
  }
  const wholeDigits = at - wholeAt
  if (wholeDigits === 0 || wholeDigits > 9) return parseText(bytes, start, target, row)
  let value = whole
  if (byte === DOT) {
    const fractionAt = ++at
    let fraction = 0
    byte = bytes[at]
    while (byte >= ZERO && byte < ZERO + 10) {
      fraction = (Math.imul(fraction, 10) + byte - ZERO) | 0
      byte = bytes[++at]
    }
    const digits = at - fractionAt
    if (digits === 0 || digits > 6) return parseText(bytes, start, target, row)
    // Both are whole and below 2⁵³: the quotient is the double that is nearest to what is written.
    const power = POWERS[digits]
    value = (whole * power + fraction) / power
  }
  if (byte !== COMMA && byte !== LF && byte !== CR) return parseText(bytes, start, target, row)
  target[row] = isNegative ? -value : value
  return at
}

function parseText(bytes: Uint8Array, start: number, target: Float64Array, row: number): number {
  let end = start
  while (end - start < TEXT_MAX_BYTES && bytes[end] !== COMMA && bytes[end] !== LF && bytes[end] !== CR) end++
  const text = textOf(bytes, start, end)
  if (NUMBER.test(text)) target[row] = Number(text)
  else target[row] = isMissing(text) ? Number.NaN : Number.POSITIVE_INFINITY
  return end
}

/** Where a missing cell ends; where it begins, if it is none. */
function skipMissing(bytes: Uint8Array, at: number): number {
  const found = MISSING.find((text) => textOf(bytes, at, at + text.length) === text)
  return at + (found?.length ?? 0)
}

function textOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString('latin1')
}

/** Whole µs, x and y both or none, no scroll is 0; null when a time is missing. All in one piece of memory, for whoever is sent it. */
function rowsOf({ test, columns, isClick }: Scratch, n: number, ids: string[]): PlainRows | null {
  const memory = new ArrayBuffer(n * (NUMBER_COLUMNS * 8 + 4 + 1))
  const [tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx] = columns.map((column, i) => {
    const values = new Float64Array(memory, i * n * 8, n)
    values.set(column.subarray(0, n))
    return values
  })
  const testOfRow = new Int32Array(memory, NUMBER_COLUMNS * n * 8, n)
  testOfRow.set(test.subarray(0, n))
  const flags = new Uint8Array(memory, n * (NUMBER_COLUMNS * 8 + 4), n)
  flags.set(isClick.subarray(0, n))
  for (let i = 0; i < n; i++) {
    const t = Math.floor(tUs[i] * 1000 + 0.5)
    if (Number.isNaN(t)) return null
    tUs[i] = t
  }
  for (let i = 0; i < n; i++) if (Number.isNaN(scrollYPx[i])) scrollYPx[i] = 0
  losePairs(gazeXPx, gazeYPx)
  losePairs(mouseXPx, mouseYPx)
  return { n, ids, test: testOfRow, tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick: flags, memory }
}

function losePairs(x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(x[i]) || Number.isNaN(y[i])) {
      x[i] = Number.NaN
      y[i] = Number.NaN
    }
  }
}
