import { NUMBER_BYTES, word } from './numbers.ts'
import { ROWS_WASM } from './rows-wasm.ts'
import { BLOCK_BYTES, flush, type Sink } from './sink.ts'
import type { Step } from './steps.ts'

/** Writes rows into its own block, several times as fast as JavaScript: rows.wat says how. */
export type Kernel = {
  /** The memory that a sink must have to be written into. */
  block: Uint8Array
  /**
   * Loads the steps of the next rows; false if the kernel cannot execute them, so that all of the rows have to be
   * written without it.
   */
  load: (steps: Step[]) => boolean
  /** Writes rows from `from` on, and returns the first one that it did not write. */
  write: (sink: Sink, from: number, to: number) => number
}

/** Addresses in the memory of the kernel, as rows.wat has them. */
const THREE = 1024
const LEADING = 5120
const STEP_BYTES = 32
const STEPS_MAX = 64
const BYTES = 12_288
const BYTES_MAX = 50_000
const COLUMNS = 1 << 16
const COLUMNS_MAX = 32
const ROWS_MAX = 2048
const BLOCK = COLUMNS + COLUMNS_MAX * ROWS_MAX * 8
/** A page behind the block, since bytes are copied in pieces of 16. */
const PAGES = (BLOCK + BLOCK_BYTES) / 65_536 + 1

const KINDS = { fractions: 1, percents: 1, wholes: 2, microseconds: 3, exact: 4, exactMs: 5, flags: 6, marks: 7 }

let kernel: Kernel | null | undefined

/** Returns this thread's kernel; null where the machine has no WebAssembly with SIMD. */
export function rowsKernel(): Kernel | null {
  if (kernel === undefined) kernel = createKernel()
  return kernel
}

type Exports = {
  write: (row: number, to: number, stepsEnd: number, at: number, limit: number) => number
  row: { value: number }
  steps: { value: number }
}

function createKernel(): Kernel | null {
  const code = Buffer.from(ROWS_WASM, 'base64')
  if (!WebAssembly.validate(code)) return null
  const memory = new WebAssembly.Memory({ initial: PAGES })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { gazette: { memory } })
  const { write, row, steps } = exports as unknown as Exports
  fillDigits(new Uint32Array(memory.buffer))
  const block = new Uint8Array(memory.buffer, BLOCK, BLOCK_BYTES)
  const columns: ((from: number, to: number) => void)[] = []
  let stepsEnd = 0
  let rowBytesMax = 0

  return {
    block,
    load: (given) => {
      const layout = layOut(given, memory.buffer, steps.value)
      if (layout === null) return false
      columns.splice(0, columns.length, ...layout.columns)
      stepsEnd = layout.stepsEnd
      rowBytesMax = layout.rowBytesMax
      return true
    },
    write: (sink, from, to) => {
      for (let next = from; next < to; ) {
        const end = Math.min(to, next + ROWS_MAX)
        for (const copy of columns) copy(next, end)
        const n = end - next
        for (let done = 0; done < n; ) {
          if (sink.length + rowBytesMax > BLOCK_BYTES) flush(sink)
          sink.length = write(done, n, stepsEnd, BLOCK + sink.length, BLOCK + BLOCK_BYTES - rowBytesMax) - BLOCK
          const isFull = sink.length + rowBytesMax > BLOCK_BYTES
          if (row.value < n && !isFull) return next + row.value
          done = row.value
        }
        next = end
      }
      return to
    },
  }
}

type Layout = { columns: ((from: number, to: number) => void)[]; stepsEnd: number; rowBytesMax: number }

/** Puts steps and their bytes into the kernel's memory; null where they have no room there. */
function layOut(steps: Step[], memory: ArrayBuffer, stepsAt: number): Layout | null {
  const bytes = new Uint8Array(memory, BYTES, BYTES_MAX)
  const columns: Layout['columns'] = []
  const view = new DataView(memory)
  let used = 0
  let rowBytesMax = 16
  let count = 0
  const place = (given: Uint8Array) => {
    bytes.set(given, used)
    // Room for the piece of 16 bytes that the last one is copied with.
    used += given.length
    return BYTES + used - given.length
  }
  for (let s = 0; s < steps.length; s++) {
    const step = steps[s]
    if (step.kind === 'rows' || step.kind === 'texts' || count === STEPS_MAX) return null
    const own = step.kind === 'bytes' || step.kind === 'marks' ? step.bytes : step.missing
    const next = steps[s + 1]
    const suffix = next?.kind === 'bytes' && next.bytes.length <= 8 ? next.bytes : NONE
    if (used + own.length + suffix.length + 16 > BYTES_MAX) return null
    const at = stepsAt + count * STEP_BYTES
    const from = place(own)
    view.setInt32(at + 8, own.length, true)
    view.setInt32(at + 12, from, true)
    if (step.kind === 'bytes') {
      view.setInt32(at, 0, true)
      view.setInt32(at + 4, from, true)
    } else {
      if (columns.length === COLUMNS_MAX) return null
      const column = COLUMNS + columns.length * ROWS_MAX * 8
      view.setInt32(at, KINDS[step.kind], true)
      view.setInt32(at + 4, column, true)
      columns.push(columnCopy(step.values, memory, column))
    }
    for (let i = 0; i < 8; i++) view.setUint8(at + 16 + i, suffix[i] ?? 0)
    view.setInt32(at + 24, suffix.length, true)
    if (suffix !== NONE) s++
    rowBytesMax += NUMBER_BYTES + own.length + suffix.length
    count++
  }
  return { columns, stepsEnd: stepsAt + count * STEP_BYTES, rowBytesMax }
}

const NONE = new Uint8Array(0)

function columnCopy(values: Float64Array | Int32Array | Uint8Array, memory: ArrayBuffer, at: number) {
  const column =
    values instanceof Uint8Array ? new Uint8Array(memory, at, ROWS_MAX) : new Float64Array(memory, at, ROWS_MAX)
  return (from: number, to: number) => column.set(values.subarray(from, to))
}

function fillDigits(words: Uint32Array): void {
  for (let value = 0; value < 1000; value++) {
    const three = String(value).padStart(3, '0')
    words[THREE / 4 + value] = word(three) | (three.replace(/0+$/, '').length << 24)
    words[LEADING / 4 + value] = word(String(value)) | (String(value).length << 24)
  }
}
