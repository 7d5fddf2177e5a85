import { createHash } from 'node:crypto'
import { array, assert, constantFrom, integer, property, tuple } from 'fast-check'
import { snappyUncompress } from 'hyparquet'
import { expect, test } from 'vitest'
import { snappy } from '../../../engine/formats/snappy.ts'
import { SNAPPY_WASM } from '../../../engine/formats/snappy-wasm.ts'
import { buildKernel } from '../../../scripts/build-wasm.mjs'

test('the committed kernel matches its source', async () => {
  expect(SNAPPY_WASM).toBe(await buildKernel('formats/snappy'))
})

/** Returns what somebody else reads of compressed bytes. */
function read(packed: Uint8Array, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  snappyUncompress(packed, bytes)
  return bytes
}

/** Bytes that look random, the same in each run. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed | 1
  for (let i = 0; i < length; i++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    bytes[i] = state >>> 24
  }
  return bytes
}

test('bytes of any kind come back as they were, in runs, in noise and in copies of either', () => {
  const piece = tuple(constantFrom('run', 'noise', 'copy'), integer({ min: 0, max: 900 }), integer({ min: 1, max: 99 }))
  assert(
    property(array(piece, { maxLength: 12 }), (pieces) => {
      let bytes = Buffer.alloc(0)
      for (const [kind, length, seed] of pieces) {
        const from = Math.max(0, bytes.length - 7 * seed)
        const next = { run: Buffer.alloc(length, seed), noise: noise(length, seed), copy: bytes.subarray(from) }[kind]
        bytes = Buffer.concat([bytes, next])
      }
      expect(read(snappy(bytes), bytes.length).equals(bytes)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('so do those of every length around the ends of literals, copies, blocks and pieces', () => {
  const ends = [0, 1, 16, 60, 61, 64, 68, 256, 257, 65_536, 2 * 65_536, 1 << 20, 3 << 20]
  for (const length of ends.flatMap((end) => [end - 1, end, end + 1]).filter((n) => n >= 0))
    for (const bytes of [Buffer.alloc(length), noise(length, 7)])
      expect(read(snappy(bytes), length).equals(bytes), String(length)).toBe(true)
})

test('numbers shrink, noise hardly grows, and the output is the same everywhere', () => {
  const numbers = Float64Array.from({ length: 100_000 }, (_, i) => (i % 250 < 200 ? i >> 6 : 0.5))
  const bytes = Buffer.from(numbers.buffer)
  const packed = snappy(bytes)
  expect(packed.length).toBeLessThan(bytes.length / 5)
  expect(snappy(noise(1 << 20, 3)).length).toBeLessThan(1.001 * (1 << 20))
  expect(createHash('sha256').update(packed).digest('hex')).toMatchInlineSnapshot(
    `"21d616f31219ec2602a632229ace11b036fc932b3fd0bc5c8649fadbdd3b30c3"`,
  )
})
