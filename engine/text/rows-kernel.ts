import { NUMBER_BYTES, word } from './numbers.ts'
import { ROWS_WASM } from './rows-wasm.ts'
import { BLOCK_BYTES, type ByteSink, flush } from './sink.ts'
import type { WriteStep } from './steps.ts'

/** WebAssembly kernel that writes rows into its own block, several times as fast as JavaScript; see rows.wat. */
export type Kernel = {
  /** Memory that a sink must use to receive its output. */
  block: Uint8Array
  /**
   * Loads the steps of the next rows; false if the kernel cannot execute them, so all of these rows must be written
   * without it.
   */
  load: (steps: WriteStep[]) => boolean
  /** Writes rows from `from` on, and returns the first row that it did not write. */
  write: (sink: ByteSink, from: number, to: number) => number
}

/** Addresses in the kernel's memory, as in rows.wat. */
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
const FEW = 64
/** Maximum number of texts: loading more takes longer than writing the rows without the kernel. */
const TEXTS_MAX = 256
/** A page after the block, since bytes are copied in pieces of 16. */
const PAGES = (BLOCK + BLOCK_BYTES) / 65_536 + 1

const KINDS = {
  fractions: 1,
  percents: 1,
  wholes: 2,
  microseconds: 3,
  exact: 4,
  exactMs: 5,
  flags: 6,
  marks: 7,
  texts: 8,
}

let kernel: Kernel | null | undefined

/** Returns this thread's kernel; null if the machine has no WebAssembly with SIMD. */
export function rowsKernel(): Kernel | null {
  if (kernel === undefined) kernel = createKernel()
  return kernel
}

type Exports = {
  write: (row: number, to: number, stepsEnd: number, at: number, limit: number) => number
  row: { value: number }
  steps: { value: number }
}

/** Values of a column; the kernel takes flags and marks as bytes, all others as doubles. */
type Values = Float64Array | Int32Array | Uint8Array

function createKernel(): Kernel | null {
  const code = Buffer.from(ROWS_WASM, 'base64')
  if (!WebAssembly.validate(code)) return null
  const memory = new WebAssembly.Memory({ initial: PAGES })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { gazette: { memory } })
  const { write, row, steps } = exports as unknown as Exports
  fillDigits(new Uint32Array(memory.buffer))
  const words = new Int32Array(memory.buffer)
  const bytes = new Uint8Array(memory.buffer)
  const doubles = new Float64Array(memory.buffer)
  const block = new Uint8Array(memory.buffer, BLOCK, BLOCK_BYTES)
  let layout: Layout = { columns: [], stepsEnd: 0, rowBytesMax: 0 }

  function copyColumn(values: Values, at: number, from: number, to: number): void {
    const [target, first] = values instanceof Uint8Array ? [bytes, at] : [doubles, at / 8]
    // Creating a view of a few values takes longer than copying them.
    if (to - from > FEW) target.set(values.subarray(from, to), first)
    else for (let i = from; i < to; i++) target[first + i - from] = values[i]
  }

  return {
    block,
    load: (given) => {
      const made = layOut(given, words, bytes, steps.value)
      if (made !== null) layout = made
      return made !== null
    },
    write: (sink, from, to) => {
      const { columns, stepsEnd, rowBytesMax } = layout
      for (let next = from; next < to; ) {
        const end = Math.min(to, next + ROWS_MAX)
        for (let c = 0; c < columns.length; c++) copyColumn(columns[c], columnAt(c), next, end)
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

function columnAt(c: number): number {
  return COLUMNS + c * ROWS_MAX * 8
}

type Layout = { columns: Values[]; stepsEnd: number; rowBytesMax: number }

/** Loads steps and their bytes into the kernel's memory; null if they do not fit. */
function layOut(steps: WriteStep[], words: Int32Array, bytes: Uint8Array, stepsAt: number): Layout | null {
  const columns: Values[] = []
  let next = BYTES
  let rowBytesMax = 16
  let at = stepsAt
  for (let s = 0; s < steps.length; s++, at += STEP_BYTES) {
    const step = steps[s]
    if (step.kind === 'rows' || step.kind === 'decimalCommas' || at === stepsAt + STEPS_MAX * STEP_BYTES) return null
    const own = step.kind === 'bytes' || step.kind === 'marks' ? step.bytes : step.missing
    const following = steps[s + 1]
    const suffix = following?.kind === 'bytes' && following.bytes.length <= 8 ? following.bytes : null
    const suffixLength = suffix?.length ?? 0
    if (!hasRoom(next, own.length)) return null
    bytes.set(own, next)
    const word = at / 4
    words[word + 2] = own.length
    words[word + 3] = next
    if (step.kind === 'bytes') {
      words[word] = 0
      words[word + 1] = next
    } else {
      if (columns.length === COLUMNS_MAX) return null
      words[word] = KINDS[step.kind]
      words[word + 1] = columnAt(columns.length)
      columns.push(step.kind === 'texts' ? step.indexes : step.values)
    }
    next += own.length
    rowBytesMax += NUMBER_BYTES + own.length + suffixLength
    if (step.kind === 'texts') {
      const table = putTable(step.texts, next, word, words, bytes)
      if (table === null) return null
      next = table.end
      rowBytesMax += table.longest
    }
    if (suffix !== null) bytes.set(suffix, at + 16)
    words[word + 6] = suffixLength
    if (suffix !== null) s++
  }
  return { columns, stepsEnd: at, rowBytesMax }
}

/** Returns whether bytes fit from `next` on, rounded up to 16, since they are copied in pieces of 16. */
function hasRoom(next: number, count: number): boolean {
  return next + count + 16 <= BYTES + BYTES_MAX
}

/**
 * Loads texts and their table, which begins with the missing value of the step at `word`, into the kernel's memory;
 * null if they do not fit.
 */
function putTable(texts: Uint8Array[], from: number, word: number, words: Int32Array, bytes: Uint8Array) {
  const table = Math.ceil(from / 4)
  let end = 4 * table + 8 * (texts.length + 1)
  let longest = 0
  if (texts.length > TEXTS_MAX) return null
  words[table] = words[word + 3]
  words[table + 1] = words[word + 2]
  words[word + 3] = 4 * table
  for (const [t, text] of texts.entries()) {
    if (!hasRoom(end, text.length)) return null
    bytes.set(text, end)
    words[table + 2 * t + 2] = end
    words[table + 2 * t + 3] = text.length
    end += text.length
    longest = Math.max(longest, text.length)
  }
  return hasRoom(end, 0) ? { end, longest } : null
}

function fillDigits(words: Uint32Array): void {
  for (let value = 0; value < 1000; value++) {
    const three = String(value).padStart(3, '0')
    words[THREE / 4 + value] = word(three) | (three.replace(/0+$/, '').length << 24)
    words[LEADING / 4 + value] = word(String(value)) | (String(value).length << 24)
  }
}
