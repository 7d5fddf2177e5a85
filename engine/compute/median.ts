import { MEDIAN_WASM } from './median-wasm.ts'

/** Points of a test, in memory that the WebAssembly kernel shares. Longer than the number of points. */
export type PointColumns = {
  /** Ascending, whole µs. */
  tUs: Float64Array
  /** Positions before the median, in pairs: x at 2i and y at 2i + 1. Neither NaN nor -0. */
  rawPercent: Float64Array
  /** Medians. */
  xPercent: Float64Array
  yPercent: Float64Array
  /** Kernel; null if the machine has no WebAssembly with SIMD. */
  kernel: Kernel | null
}

type Kernel = { memory: WebAssembly.Memory; points: number; exports: KernelExports }
type KernelExports = {
  bind: (t: number, raw: number, x: number, y: number, scratch: number, scratchPoints: number) => void
  movingMedians: (from: number, i: number, to: number, rangeUs: number) => number
}

/**
 * Allocates columns for points, in memory that the WebAssembly kernel shares.
 *
 * @param withKernel false to use only JavaScript, which is slower and the reference for the kernel
 */
export function createPointColumns(points: number, withKernel = true): PointColumns {
  if (!withKernel || kernelModule === null) {
    return {
      tUs: new Float64Array(points),
      rawPercent: new Float64Array(2 * points),
      xPercent: new Float64Array(points),
      yPercent: new Float64Array(points),
      kernel: null,
    }
  }
  const memory = new WebAssembly.Memory({ initial: pagesOf(points, SCRATCH_POINTS) })
  const instance = new WebAssembly.Instance(kernelModule, { gazette: { memory } })
  const kernel = { memory, points, exports: instance.exports as KernelExports }
  return bind(kernel, SCRATCH_POINTS)
}

/**
 * Writes the moving median over time of x and y (docs/signal.md, step 6): point i becomes the median of all points j of
 * its segment with 2·|t_j − t_i| ≤ range, each axis independently. For an even count, it is the mean of the middle two.
 *
 * @param columns `xPercent` and `yPercent` are overwritten from start to end; all may be replaced by larger ones with
 *   the same contents
 * @param start, end of the segment, which limits windows
 * @param rangeUs R, in µs
 */
export function movingMedians(columns: PointColumns, start: number, end: number, rangeUs: number): void {
  const { kernel, tUs, rawPercent, xPercent, yPercent } = columns
  if (kernel === null) {
    movingMedian(tUs, rawPercent, 0, start, end, rangeUs, xPercent)
    movingMedian(tUs, rawPercent, 1, start, end, rangeUs, yPercent)
    return
  }
  let room = SCRATCH_POINTS
  let done = start
  while (done < end) {
    done = kernel.exports.movingMedians(start, done, end, rangeUs)
    // Thousands of points in one window are rare, so memory grows only then.
    if (done === end) return
    room = Math.min(4 * room, roundUp(end - start, 64))
    Object.assign(columns, bind(kernel, room))
  }
}

/**
 * Computes the same for one axis in plain JavaScript: a sorted window slides along, with one insertion for each point
 * that enters and one removal for each that leaves.
 *
 * @param axis 0 for x, 1 for y
 */
export function movingMedian(
  tUs: Float64Array,
  pairs: Float64Array,
  axis: 0 | 1,
  start: number,
  end: number,
  rangeUs: number,
  out: Float64Array,
): void {
  const window = windowOf(end - start)
  let count = 0
  let first = start
  let next = start
  for (let i = start; i < end; i++) {
    const t = tUs[i]
    while (2 * (t - tUs[first]) > rangeUs) {
      const value = pairs[2 * first++ + axis]
      // One value leaves and the next may enter: all values above the gap move down.
      let k = 0
      while (window[k] !== value) k++
      for (count--; k < count; k++) window[k] = window[k + 1]
    }
    while (next < end && 2 * (tUs[next] - t) <= rangeUs) {
      const value = pairs[2 * next++ + axis]
      let k = count++
      for (; k > 0 && window[k - 1] > value; k--) window[k] = window[k - 1]
      window[k] = value
    }
    const middle = count >> 1
    out[i] = count % 2 === 1 ? window[middle] : (window[middle - 1] + window[middle]) / 2
  }
}

let scratch = new Float64Array(1024)

/** Returns scratch memory for a window of `length` points; a window may contain a whole short segment. */
function windowOf(length: number): Float64Array {
  if (scratch.length < length) scratch = new Float64Array(2 * length)
  return scratch
}

const kernelModule = compile()

function compile(): WebAssembly.Module | null {
  const bytes = Buffer.from(MEDIAN_WASM, 'base64')
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

/** Points that the kernel sorts at once, as many as its smallest block; 49 bytes each. */
const SCRATCH_POINTS = 8192
const PAIR_BYTES = 16
const PAGE_BYTES = 65_536

/**
 * Returns the number of pages for raw pairs, times, medians of x and of y, and scratch memory, with the layout of
 * median.wat.
 */
function pagesOf(points: number, scratchPoints: number): number {
  return Math.ceil((points * (PAIR_BYTES + 24) + 16_384 + 49 * scratchPoints) / PAGE_BYTES)
}

/** Returns views of the kernel's memory, grown to have scratch memory for that many points after the columns. */
function bind(kernel: Kernel, scratchPoints: number): PointColumns {
  const { memory, points, exports } = kernel
  const missing = pagesOf(points, scratchPoints) - memory.buffer.byteLength / PAGE_BYTES
  if (missing > 0) memory.grow(missing)
  const tAt = points * PAIR_BYTES
  const [xAt, yAt, scratchAt] = [tAt + 8 * points, tAt + 16 * points, tAt + 24 * points]
  exports.bind(tAt, 0, xAt, yAt, scratchAt, scratchPoints)
  return {
    tUs: new Float64Array(memory.buffer, tAt, points),
    rawPercent: new Float64Array(memory.buffer, 0, 2 * points),
    xPercent: new Float64Array(memory.buffer, xAt, points),
    yPercent: new Float64Array(memory.buffer, yAt, points),
    kernel,
  }
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}
