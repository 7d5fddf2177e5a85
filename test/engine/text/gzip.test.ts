import { gunzipSync } from 'node:zlib'
import { array, assert, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { combineCrc, deflatePiece, GZIP_HEADER, gzipTrailer, inflatePiece } from '../../../engine/text/gzip.ts'

function join(pieces: Uint8Array[]): Buffer {
  let crc = 0
  let plainBytes = 0
  const parts: Uint8Array[] = [GZIP_HEADER]
  for (const piece of pieces.map(deflatePiece)) {
    crc = combineCrc(crc, piece.crc, piece.plainBytes)
    plainBytes += piece.plainBytes
    parts.push(piece.deflated)
  }
  return Buffer.concat([...parts, gzipTrailer(crc, plainBytes)])
}

test('pieces deflated apart join to one gzip member, which zlib checks', () => {
  assert(
    property(array(uint8Array({ maxLength: 3000 })), (pieces) =>
      Buffer.concat(pieces).equals(gunzipSync(join(pieces))),
    ),
  )
})

test('a large piece after a small one keeps the checksum of the whole', () => {
  const pieces = [Buffer.from('a,b\n'), Buffer.alloc(3_000_001, '0123456789,'), new Uint8Array(0), Buffer.from('end\n')]
  expect(gunzipSync(join(pieces)).equals(Buffer.concat(pieces))).toBe(true)
})

test('each piece inflates to its original on its own', async () => {
  for (const bytes of [Buffer.from('a,b\n'), Buffer.alloc(1 << 20, '0123456789,\n')]) {
    const { deflated, plainBytes } = deflatePiece(bytes)
    expect(bytes.equals(await inflatePiece(deflated, plainBytes))).toBe(true)
  }
  await expect(inflatePiece(Uint8Array.of(7, 7, 7), 3)).rejects.toThrow()
})
