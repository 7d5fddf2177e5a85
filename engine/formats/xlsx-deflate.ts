import { crc32 } from 'node:zlib'
import type { DeflatedPiece } from '../text/gzip.ts'

/**
 * Deflates a piece of a stream (RFC 1951) into one block with fixed codes, and ends it on a byte boundary, so that
 * pieces can be concatenated. The bytes are the same on every machine, unlike those of zlib, which depend on the Node
 * version and the processor; an XLSX file has a strong ETag, and several servers may send ranges of it.
 */
export function deflateEverywhere(bytes: Uint8Array): DeflatedPiece {
  // A literal has at most 9 bits.
  const out = new Uint8Array(Math.ceil((bytes.length * 9) / 8) + 16)
  let at = 0
  let bits = 0
  let bitCount = 0
  const put = (code: number, length: number) => {
    bits |= code << bitCount
    bitCount += length
    while (bitCount >= 8) {
      out[at++] = bits & 0xff
      bits >>>= 8
      bitCount -= 8
    }
  }
  put(0b010, 3)
  last.fill(-1)
  const end = bytes.length
  for (let i = 0; i < end; ) {
    const found = i + MATCH_MIN <= end ? seek(bytes, i) : -1
    const length = found < 0 ? 0 : matchLength(bytes, found, i)
    if (length < MATCH_MIN) {
      put(LITERAL_CODES[bytes[i]], LITERAL_BITS[bytes[i]])
      i++
      continue
    }
    const l = LENGTH_SYMBOLS[length]
    put(LITERAL_CODES[257 + l], LITERAL_BITS[257 + l])
    put(length - LENGTH_FIRST[l], LENGTH_EXTRA[l])
    const distance = i - found
    const d = distanceSymbol(distance)
    put(reversed(d, 5), 5)
    put(distance - DISTANCE_FIRST[d], DISTANCE_EXTRA[d])
    for (const stop = Math.min(i + length, end - MATCH_MIN + 1); ++i < stop; ) last[hashAt(bytes, i)] = i
    i = found + distance + length
  }
  put(LITERAL_CODES[256], LITERAL_BITS[256])
  // An empty stored block ends on a byte boundary.
  put(0, 3)
  if (bitCount > 0) put(0, 8 - bitCount)
  out.set([0, 0, 0xff, 0xff], at)
  return { deflated: out.slice(0, at + 4), crc: crc32(bytes), plainBytes: bytes.length }
}

const MATCH_MIN = 4
const MATCH_MAX = 258
const DISTANCE_MAX = 32_768
const HASH_BITS = 15

/** Last position of each hash of four bytes. Scratch memory of a thread. */
const last = new Int32Array(1 << HASH_BITS)

function hashAt(bytes: Uint8Array, i: number): number {
  const four = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
  return Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS)
}

/** Returns the last position before `i` with the same hash within reach, -1 for none, and records `i`. */
function seek(bytes: Uint8Array, i: number): number {
  const hash = hashAt(bytes, i)
  const found = last[hash]
  last[hash] = i
  return found >= 0 && i - found <= DISTANCE_MAX ? found : -1
}

function matchLength(bytes: Uint8Array, found: number, i: number): number {
  const most = Math.min(MATCH_MAX, bytes.length - i)
  let length = 0
  while (length < most && bytes[found + length] === bytes[i + length]) length++
  return length
}

function reversed(code: number, length: number): number {
  let result = 0
  for (let bit = 0; bit < length; bit++) if (code & (1 << bit)) result |= 1 << (length - 1 - bit)
  return result
}

const firsts = (extra: number[], first: number) =>
  extra.map((_, symbol) => extra.slice(0, symbol).reduce((sum, count) => sum + 2 ** count, first))

const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const LENGTH_FIRST = firsts(LENGTH_EXTRA, 3).with(28, MATCH_MAX)
const LENGTH_SYMBOLS = Uint8Array.from({ length: MATCH_MAX + 1 }, (_, length) =>
  length === MATCH_MAX
    ? 28
    : Math.max(
        0,
        LENGTH_FIRST.slice(0, 28).findLastIndex((first) => first <= length),
      ),
)
const DISTANCE_EXTRA = Array.from({ length: 30 }, (_, symbol) => Math.max(0, (symbol >> 1) - 1))
const DISTANCE_FIRST = firsts(DISTANCE_EXTRA, 1)

function distanceSymbol(distance: number): number {
  if (distance < 5) return distance - 1
  const power = 31 - Math.clz32(distance - 1)
  return 2 * power + (((distance - 1) >> (power - 1)) & 1)
}

/** Fixed codes of literals and lengths (RFC 1951, 3.2.6). */
const LITERAL_BITS = Uint8Array.from({ length: 288 }, (_, symbol) =>
  symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
)
const LITERAL_CODES = Uint16Array.from({ length: 288 }, (_, symbol) => {
  const code =
    symbol < 144
      ? 0x30 + symbol
      : symbol < 256
        ? 0x190 + symbol - 144
        : symbol < 280
          ? symbol - 256
          : 0xc0 + symbol - 280
  return reversed(code, LITERAL_BITS[symbol])
})
