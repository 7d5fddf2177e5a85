import { SNAPPY_WASM } from './snappy-wasm.ts'

/**
 * Compresses with Snappy, which every Parquet reader supports; in WebAssembly it is about ten times as fast as in
 * JavaScript. It uses integers only, so equal input gives equal bytes on every machine, unlike Node's zlib and zstd,
 * whose output changes between versions.
 */

type Kernel = { memory: WebAssembly.Memory; compress: (from: number, to: number, out: number) => number }

const PAGE = 1 << 16
/** Input size of a call: whole blocks of 64 KiB, so that the output does not depend on how the input is split. */
const PIECE = 1 << 20
const INPUT = PAGE
/** Largest growth per block: literals take at most three extra bytes. */
const OUTPUT_MAX = PIECE + (PIECE >> 4)
const OUTPUT = INPUT + PIECE

let kernel: Kernel | null = null

function createKernel(): Kernel {
  const memory = new WebAssembly.Memory({ initial: Math.ceil((OUTPUT + OUTPUT_MAX) / PAGE) })
  const module = new WebAssembly.Module(Buffer.from(SNAPPY_WASM, 'base64'))
  const { exports } = new WebAssembly.Instance(module, { gazette: { memory } })
  return { memory, compress: exports.compress as Kernel['compress'] }
}

/** Compresses bytes with Snappy. */
export function snappy(bytes: Uint8Array): Uint8Array {
  kernel ??= createKernel()
  const memory = new Uint8Array(kernel.memory.buffer)
  const pieces = [lengthOf(bytes)]
  for (let from = 0; from < bytes.length; from += PIECE) {
    const piece = bytes.subarray(from, from + PIECE)
    memory.set(piece, INPUT)
    pieces.push(memory.slice(OUTPUT, kernel.compress(INPUT, INPUT + piece.length, OUTPUT)))
  }
  return Buffer.concat(pieces)
}

/** Encodes the length of bytes as a varint. */
function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes: number[] = []
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 128) return Uint8Array.from([...bytes, rest])
    bytes.push((rest & 127) | 128)
  }
}
