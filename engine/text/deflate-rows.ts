import { DEFLATE_ROWS_WASM } from './deflate-rows-wasm.ts'

/**
 * Deflate (RFC 1951) for rows of text that mostly repeat the previous row, as those of a test do: four times as fast as
 * zlib's level 1, and no larger. deflate-rows.wat has the passes over the bytes; the codes between them are built here.
 */

type Kernel = {
  memory: WebAssembly.Memory
  tokenize: (byteCount: number) => number
  encode: (tokensEnd: number, out: number, bits: number, bitCount: number) => number
  tokens: number
}

/** Addresses in the kernel's memory, as in deflate-rows.wat. */
const LIT_CODES = 1280
const LEN_BITS = 2320
const LEN_SIZES = 3360
const DIST_BITS = 3632
const DIST_SIZES = 11_824
const LEN_SYMBOLS = 13_872
const DIST_SYMBOLS = 14_144
const DIST_COUNTS = 1152
const INPUT = 16_384

/**
 * Smallest and largest input: fewer bytes are not worth the code lengths, and more than a block would only take memory.
 */
const INPUT_MIN = 1 << 13
const INPUT_MAX = 1 << 20
const PAGE = 1 << 16
const CODE_BITS_MAX = 15
const LITERALS = 286
const DISTANCES = 30
/** Longest row that is matched with the previous one. */
const DISTANCE_MAX = 2047
const END = 256

/** Extra bits of length symbols from 257 on, and of distance symbols. */
const LEN_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const DIST_EXTRA = Array.from({ length: DISTANCES }, (_, symbol) => Math.max(0, (symbol >> 1) - 1))
const LEN_FIRST = firsts(LEN_EXTRA, 3).with(28, 258)
const DIST_FIRST = firsts(DIST_EXTRA, 1)

function firsts(extra: number[], first: number): number[] {
  return extra.map((_, symbol) => extra.slice(0, symbol).reduce((sum, bits) => sum + 2 ** bits, first))
}

let kernel: Kernel | null | undefined

/**
 * Deflates bytes to a block that is not the last one and ends on a byte boundary, like zlib's Z_SYNC_FLUSH.
 *
 * @returns null if the bytes are no such rows, too few or too many, or the machine has no WebAssembly with SIMD; then
 * use zlib
 */
export function deflateRows(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length < INPUT_MIN || bytes.length > INPUT_MAX) return null
  kernel = kernel === undefined ? createKernel() : kernel
  if (kernel === null) return null
  const { memory, tokenize, encode } = kernel
  const all = new Uint8Array(memory.buffer)
  all.set(bytes, INPUT)
  const tokensEnd = tokenize(bytes.length)
  if (tokensEnd === 0) return null
  const litLengths = codeLengths(new Uint32Array(memory.buffer, 0, LITERALS))
  const distLengths = codeLengths(new Uint32Array(memory.buffer, DIST_COUNTS, DISTANCES))
  const litCodes = codesOf(litLengths)
  const words = new Uint32Array(memory.buffer)
  for (let symbol = 0; symbol <= END; symbol++)
    words[LIT_CODES / 4 + symbol] = litCodes[symbol] | (litLengths[symbol] << 16)
  tabulate(words, all, LEN_BITS, LEN_SIZES, LEN_FIRST, LEN_EXTRA, 258, litCodes.subarray(257), litLengths.subarray(257))
  tabulate(words, all, DIST_BITS, DIST_SIZES, DIST_FIRST, DIST_EXTRA, DISTANCE_MAX, codesOf(distLengths), distLengths)
  // A literal takes at most 15 bits; a match takes less than the literals that it replaces.
  const out = (tokensEnd + 7) & ~7
  grow(memory, out + 2 * bytes.length + 1024)
  const header = startOutput(new Uint8Array(memory.buffer, out), litLengths, distLengths)
  const end = encode(tokensEnd, out + header.byteCount, header.bits, header.bitCount)
  return new Uint8Array(memory.buffer.slice(out, end))
}

function createKernel(): Kernel | null {
  const bytes = Buffer.from(DEFLATE_ROWS_WASM, 'base64')
  if (!WebAssembly.validate(bytes)) return null
  const memory = new WebAssembly.Memory({ initial: 1 })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { gazette: { memory } })
  const { tokenize, encode, tokens } = exports as Omit<Kernel, 'memory' | 'tokens'> & { tokens: { value: number } }
  // The shortest match is of four bytes and takes a token of eight.
  grow(memory, tokens.value + 2 * INPUT_MAX + 64)
  const all = new Uint8Array(memory.buffer)
  for (let len = 3, symbol = 0; len <= 258; len++) {
    if (len === LEN_FIRST[symbol + 1]) symbol++
    all[LEN_SYMBOLS + len] = symbol
  }
  for (let dist = 1, symbol = 0; dist <= DISTANCE_MAX; dist++) {
    if (dist === DIST_FIRST[symbol + 1]) symbol++
    all[DIST_SYMBOLS + dist] = symbol
  }
  return { memory, tokenize, encode, tokens: tokens.value }
}

function grow(memory: WebAssembly.Memory, byteCount: number): void {
  const missing = byteCount - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE))
}

/**
 * Returns the code lengths of an optimal prefix code (Huffman, 1952) of at most 15 bits; 0 for values that do not
 * occur.
 */
function codeLengths(counts: Uint32Array): Uint8Array {
  const lengths = new Uint8Array(counts.length)
  const symbols = Array.from(counts.keys()).filter((symbol) => counts[symbol] > 0)
  // A single code gets one bit; an empty table is not allowed.
  if (symbols.length < 2) {
    lengths[symbols[0] ?? 0] = 1
    return lengths
  }
  symbols.sort((a, b) => counts[a] - counts[b] || a - b)
  for (let weights = symbols.map((symbol) => counts[symbol]); ; weights = weights.map((weight) => (weight + 1) >> 1)) {
    const depths = depthsOf(weights)
    if (Math.max(...depths) > CODE_BITS_MAX) continue
    for (const [i, symbol] of symbols.entries()) lengths[symbol] = depths[i]
    return lengths
  }
}

/**
 * Returns the depth of each leaf of the Huffman tree for ascending weights. Leaves and merged nodes are two sorted
 * queues.
 */
function depthsOf(weights: number[]): number[] {
  const n = weights.length
  const weight = [...weights]
  const parent = new Array<number>(2 * n - 1).fill(0)
  let leaf = 0
  let joined = n
  const least = (): number =>
    leaf < n && (joined >= weight.length || weight[leaf] <= weight[joined]) ? leaf++ : joined++
  while (weight.length < 2 * n - 1) {
    const a = least()
    const b = least()
    parent[a] = weight.length
    parent[b] = weight.length
    weight.push(weight[a] + weight[b])
  }
  const depth = new Array<number>(2 * n - 1).fill(0)
  for (let node = 2 * n - 3; node >= 0; node--) depth[node] = depth[parent[node]] + 1
  return depth.slice(0, n)
}

/** Returns the canonical codes for code lengths, with the first bit lowest, as they are written. */
function codesOf(lengths: Uint8Array): Uint32Array {
  const codes = new Uint32Array(lengths.length)
  let code = 0
  for (let length = 1; length <= CODE_BITS_MAX; length++) {
    for (const [symbol, own] of lengths.entries()) if (own === length) codes[symbol] = reversed(code++, length)
    code <<= 1
  }
  return codes
}

function reversed(code: number, bitCount: number): number {
  let turned = 0
  for (let bit = 0; bit < bitCount; bit++) turned |= ((code >> bit) & 1) << (bitCount - 1 - bit)
  return turned
}

/** Tabulates, for each value from the first on, its code with extra bits, and their number of bits. */
function tabulate(
  words: Uint32Array,
  all: Uint8Array,
  bitsAt: number,
  sizesAt: number,
  firstOf: number[],
  extra: number[],
  valueMax: number,
  codes: Uint32Array,
  lengths: Uint8Array,
): void {
  for (let value = firstOf[0], symbol = 0; value <= valueMax; value++) {
    if (value === firstOf[symbol + 1]) symbol++
    words[bitsAt / 4 + value] = codes[symbol] | ((value - firstOf[symbol]) << lengths[symbol])
    all[sizesAt + value] = lengths[symbol] + extra[symbol]
  }
}

/** Order of the code length code in a block's header (RFC 1951, 3.2.7). */
const HEAD_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/**
 * Writes the header of a block and returns its end. Lengths of 0 to 15 take four bits each, a fixed code, which costs
 * 160 bytes a block.
 */
function startOutput(
  out: Uint8Array,
  litLengths: Uint8Array,
  distLengths: Uint8Array,
): { byteCount: number; bits: number; bitCount: number } {
  let byteCount = 0
  let bits = 0
  let bitCount = 0
  const put = (value: number, size: number) => {
    bits |= value << bitCount
    bitCount += size
    for (; bitCount >= 8; bitCount -= 8, bits >>>= 8) out[byteCount++] = bits & 0xff
  }
  // Header: not the last block, dynamic codes, number of lengths of each kind.
  put(0b100, 3)
  put(LITERALS - 257, 5)
  put(DISTANCES - 1, 5)
  put(HEAD_ORDER.length - 4, 4)
  for (const symbol of HEAD_ORDER) put(symbol <= CODE_BITS_MAX ? 4 : 0, 3)
  for (const length of [...litLengths, ...distLengths]) put(reversed(length, 4), 4)
  return { byteCount, bits, bitCount }
}
