import { DAY_MS, MAX_PX } from './cells.ts'
import { SAMPLE_COLUMNS } from './sample-columns.ts'
import { SAMPLE_LINES_WASM } from './sample-lines-wasm.ts'

/** The kernel that reads lines of samples.csv, sample-lines.wat, and its memory, by whose byte offsets it goes. */
export type Lines = {
  /** All of the memory; the text is put at TEXT_AT. */
  bytes: Uint8Array
  /** Of each column of the file, its place in SAMPLE_COLUMNS. */
  order: Uint8Array
  /** What is read, for as many rows as any text has. Numbers by place, from that of t_ms on, in µs; what is lost is NaN. */
  test: Int32Array
  numbers: Float64Array[]
  isClick: Uint8Array
  /** Those of tests, as they stand in the text, which `test` counts. */
  ids: Map<string, number>
  /**
   * Reads the lines from `at` to `end`.
   *
   * @param last index in `order`
   * @param rows more are wrong
   * @returns how many; -1 when a line is not plain
   */
  read: (at: number, end: number, last: number, rows: number) => number
}

/** As much as is read at once. */
const TEXT_BYTES = (1 << 20) + 2048
export const TEXT_AT = 1024
/** Cells are looked at beyond their ends. */
const SPARE_BYTES = 64
const COLUMNS_AT = TEXT_AT + TEXT_BYTES + SPARE_BYTES
export const ID_BYTES = 36
/** No line is shorter than an id, a comma and a line end; columns begin at multiples of 8. */
const ROWS_MAX = 8 * Math.ceil(TEXT_BYTES / (ID_BYTES + 2) / 8)
const PAGE_BYTES = 1 << 16

/** By place: t_ms in ms, the others in px. */
const BOUNDS = Float64Array.of(0, DAY_MS, MAX_PX, MAX_PX, MAX_PX, MAX_PX, MAX_PX, 0)
const NUMBER_COLUMNS = 6
const POWERS_MAX = 18

/** As check-samples.ts has it, but for signs and blanks that nobody writes, and exponents that may not fit a double. */
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d\d?)?$/i
/** Longer cells are left to DuckDB. */
const NUMBER_MAX_BYTES = 32
const CELL_END = /[,\r\n]/

let lines: Lines | undefined

/** This thread's. */
export function sampleLines(): Lines {
  lines ??= openLines()
  return lines
}

type Exported = Record<'order' | 'bounds' | 'powers' | 'value', { value: number }> & Pick<Lines, 'read'>

function openLines(): Lines {
  const columnBytes = 8 * ROWS_MAX
  const tests = COLUMNS_AT + NUMBER_COLUMNS * columnBytes
  const clicks = tests + 4 * ROWS_MAX
  const memory = new WebAssembly.Memory({ initial: Math.ceil((clicks + ROWS_MAX) / PAGE_BYTES) })
  const { buffer } = memory
  const bytes = new Uint8Array(buffer)
  const ids = new Map<string, number>()
  const testAt = (at: number) => {
    const id = textOf(bytes, at, at + ID_BYTES)
    const known = ids.get(id) ?? ids.size
    ids.set(id, known)
    return known
  }
  const numberAt = (at: number) => {
    const text = textOf(bytes, at, at + NUMBER_MAX_BYTES)
    const cell = text.slice(0, text.search(CELL_END))
    if (!NUMBER.test(cell)) return -1
    exported.value.value = Number(cell)
    return at + cell.length
  }
  const module = new WebAssembly.Module(Buffer.from(SAMPLE_LINES_WASM, 'base64'))
  const gazette = { memory, testAt, numberAt, columns: COLUMNS_AT, columnBytes, tests, clicks }
  const exported = new WebAssembly.Instance(module, { gazette }).exports as Exported
  const { order, bounds, powers, read } = exported
  new Float64Array(buffer, bounds.value, BOUNDS.length).set(BOUNDS)
  new Float64Array(buffer, powers.value, POWERS_MAX + 1).set(
    Array.from({ length: POWERS_MAX + 1 }, (_, i) => Number(`1e${i}`)),
  )
  return {
    bytes,
    order: new Uint8Array(buffer, order.value, SAMPLE_COLUMNS.length),
    test: new Int32Array(buffer, tests, ROWS_MAX),
    numbers: Array.from(
      { length: NUMBER_COLUMNS },
      (_, i) => new Float64Array(buffer, COLUMNS_AT + i * columnBytes, ROWS_MAX),
    ),
    isClick: new Uint8Array(buffer, clicks, ROWS_MAX),
    ids,
    read,
  }
}

function textOf({ buffer }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, start, end - start).toString('latin1')
}
