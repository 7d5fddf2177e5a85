import { NUMBER_BYTES, word } from './numbers.ts'
import { POINT_ROWS_WASM } from './point-rows-wasm.ts'
import { BLOCK_BYTES, type Sink } from './sink.ts'

/** What a row of a point has behind its test's cells; columns of at least n. */
export type PointCells = {
  n: number
  xPercent: Float64Array
  yPercent: Float64Array
  tUs: Float64Array
  /** 0 or 1. */
  isInterpolated: Uint8Array
}

type Kernel = {
  /** Its memory, also where blocks are written. */
  block: Uint8Array
  cells: Uint8Array
  columns: { xPercent: Float64Array; yPercent: Float64Array; tUs: Float64Array; isInterpolated: Uint8Array }
  /** The row that comes next. */
  row: { value: number }
  write: (from: number, to: number, cellBytes: number, at: number, limit: number) => number
}

/** Where things lie in the kernel's memory, as point-rows.wat has it; the block is behind them, and something to spare behind that. */
const THREE = 1024
const LEADING = 5120
const CELL_BYTES_MAX = 32_000
const ROWS_MAX = 4096
const BLOCK = 3 << 16
const PAGES = 20
/** No row has more behind its test's cells, nor writes further beyond its end. */
export const POINT_BYTES = 3 * NUMBER_BYTES + 16

let kernel: Kernel | null | undefined

/** Memory for one block, the thread's own: rows of points are written into it several times faster than into any other. */
export function blockForPoints(): Uint8Array {
  kernel = kernel === undefined ? createKernel() : kernel
  return kernel?.block ?? new Uint8Array(BLOCK_BYTES)
}

/** The cells that are in the kernel's memory. */
let present: Uint8Array | null = null

/**
 * Writes rows from point `from` on as far as the block reaches: cells, x, y, milliseconds, whether interpolated, no notes.
 *
 * @param cells what each row begins with, with a comma behind
 * @returns the point of the next row. It may be `from`: the rest, whatever it is, is to be written in another way.
 */
export function putPointRows(sink: Sink, cells: Uint8Array, points: PointCells, from: number): number {
  if (!kernel || sink.bytes !== kernel.block || cells.length > CELL_BYTES_MAX) return from
  const { columns, row, write } = kernel
  if (present !== cells) {
    kernel.cells.set(cells)
    present = cells
  }
  const limit = BLOCK + BLOCK_BYTES - cells.length - POINT_BYTES
  let next = from
  for (let end = from; next === end && next < points.n; ) {
    end = Math.min(points.n, next + ROWS_MAX)
    columns.xPercent.set(points.xPercent.subarray(next, end))
    columns.yPercent.set(points.yPercent.subarray(next, end))
    columns.tUs.set(points.tUs.subarray(next, end))
    columns.isInterpolated.set(points.isInterpolated.subarray(next, end))
    sink.length = write(0, end - next, cells.length, BLOCK + sink.length, limit) - BLOCK
    next += row.value
  }
  sink.rows += next - from
  return next
}

function createKernel(): Kernel | null {
  const bytes = Buffer.from(POINT_ROWS_WASM, 'base64')
  if (!WebAssembly.validate(bytes)) return null
  const memory = new WebAssembly.Memory({ initial: PAGES })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { gazette: { memory } })
  const { write, row, cells, x, y, t, interpolated } = exports as Record<string, { value: number }> &
    Pick<Kernel, 'write'>
  const words = new Uint32Array(memory.buffer)
  for (let value = 0; value < 1000; value++) {
    const three = String(value).padStart(3, '0')
    words[THREE / 4 + value] = word(three) | (three.replace(/0+$/, '').length << 24)
    words[LEADING / 4 + value] = word(String(value)) | (String(value).length << 24)
  }
  return {
    block: new Uint8Array(memory.buffer, BLOCK, BLOCK_BYTES),
    cells: new Uint8Array(memory.buffer, cells.value, CELL_BYTES_MAX),
    columns: {
      xPercent: new Float64Array(memory.buffer, x.value, ROWS_MAX),
      yPercent: new Float64Array(memory.buffer, y.value, ROWS_MAX),
      tUs: new Float64Array(memory.buffer, t.value, ROWS_MAX),
      isInterpolated: new Uint8Array(memory.buffer, interpolated.value, ROWS_MAX),
    },
    row,
    write,
  }
}
