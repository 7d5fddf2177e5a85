/** Arena for the arrays of one test, since allocating a small array costs as much as filling it. */
let memory = new ArrayBuffer(2 ** 18)
let usedBytes = 0

/** Releases all arrays of the arena; they must not be read any more. */
export function clearScratch(): void {
  if (usedBytes > memory.byteLength) memory = new ArrayBuffer(Math.min(2 * usedBytes, KEPT_MAX_BYTES))
  usedBytes = 0
}

/** Largest size that is kept for the next test. */
const KEPT_MAX_BYTES = 2 ** 24

/** Returns an array of n zeros, valid until the arena is released. */
export function floats(n: number): Float64Array {
  const from = reserve(8 * n)
  return from === -1 ? new Float64Array(n) : new Float64Array(memory, from, n).fill(0)
}

/** Returns an array of n zeros, valid until the arena is released. */
export function integers(n: number): Int32Array {
  const from = reserve(4 * n)
  return from === -1 ? new Int32Array(n) : new Int32Array(memory, from, n).fill(0)
}

/** Allocates so many bytes and returns their offset; -1 if they do not fit. */
function reserve(bytes: number): number {
  const from = usedBytes
  usedBytes += Math.ceil(bytes / 8) * 8
  return usedBytes <= memory.byteLength ? from : -1
}
