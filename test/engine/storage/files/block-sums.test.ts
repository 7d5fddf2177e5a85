import { expect, test } from 'vitest'
import { blockProof, SUMMED_BYTES, sumBlocks } from '../../../../engine/storage/files/block-sums.ts'

function sumsOf(pieces: Uint8Array[]): string {
  const sums = sumBlocks()
  for (const piece of pieces) sums.add(piece)
  return sums.end()
}

test('sums are the CRC-32 of each block, the last one of what is left', () => {
  expect(sumsOf([])).toBe('')
  // CRC-32 of "123456789" is 0xCBF43926, as every implementation checks itself by; least byte first here.
  expect(Buffer.from(sumsOf([Buffer.from('123456789')]), 'base64')).toEqual(Buffer.from([0x26, 0x39, 0xf4, 0xcb]))
})

test('sums do not depend on the pieces that a file is written in', () => {
  const bytes = Buffer.from(Array.from({ length: 2.5 * SUMMED_BYTES }, (_, i) => (i * 7 + (i >> 9)) & 0xff))
  const whole = sumsOf([bytes])
  expect(Buffer.from(whole, 'base64')).toHaveLength(3 * 4)
  for (const size of [1000, SUMMED_BYTES, SUMMED_BYTES + 1]) {
    const pieces: Buffer[] = []
    for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size))
    expect(sumsOf(pieces)).toBe(whole)
  }
})

test('a block is proved by its own sum alone, and by none beyond the last', () => {
  const blocks = [Buffer.alloc(SUMMED_BYTES, 1), Buffer.alloc(100, 2)]
  const isProved = blockProof(sumsOf(blocks))
  expect([isProved(blocks[0], 0), isProved(blocks[1], 1)]).toEqual([true, true])
  expect([isProved(blocks[1], 0), isProved(blocks[0], 1), isProved(blocks[0], 2)]).toEqual([false, false, false])
  blocks[1][99] ^= 128
  expect(isProved(blocks[1], 1)).toBe(false)
})
