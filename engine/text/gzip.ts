import { promisify } from 'node:util'
import { constants, crc32, deflateRawSync, inflateRaw } from 'node:zlib'
import { deflateRows } from './deflate-rows.ts'

/**
 * A separately deflated piece of a gzip member (RFC 1952). Each piece ends on a byte boundary, so pieces can be joined,
 * and the checksum of the whole follows from theirs. Several members would be simpler, but not every reader supports
 * them.
 */
export type DeflatedPiece = { deflated: Uint8Array; crc: number; plainBytes: number }

/** Compression level 1: three times as fast as 6, and a twentieth larger for such rows. */
const LEVEL = 1

export function deflatePiece(bytes: Uint8Array): DeflatedPiece {
  return { deflated: deflateRows(bytes) ?? deflateAny(bytes), crc: crc32(bytes), plainBytes: bytes.length }
}

function deflateAny(bytes: Uint8Array): Uint8Array {
  // Copied, since zlib's result may be in shared memory that cannot be transferred.
  return new Uint8Array(deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH }))
}

/**
 * Inflates a piece on one of libuv's threads.
 *
 * @param plainBytes its uncompressed length
 * @throws Error if it is invalid
 */
export function inflatePiece(deflated: Uint8Array, plainBytes: number): Promise<Uint8Array> {
  return inflate(deflated, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: Math.max(64, plainBytes + 1) })
}

const inflate = promisify(inflateRaw)

/** Header without name and time, so the bytes are reproducible. */
export const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255)

/** Starts a gzip member, which joins pieces and computes the checksum of the whole. */
export function startMember() {
  let crc = 0
  let plainBytes = 0
  return {
    add: (piece: DeflatedPiece): Uint8Array => {
      crc = combineCrc(crc, piece.crc, piece.plainBytes)
      plainBytes += piece.plainBytes
      return piece.deflated
    },
    end: (): Uint8Array => gzipTrailer(crc, plainBytes),
  }
}

/** Ends the member with an empty last block, the checksum and the length. */
export function gzipTrailer(crc: number, plainBytes: number): Uint8Array {
  const trailer = Buffer.alloc(10)
  trailer.writeUInt16LE(0x0003, 0)
  trailer.writeUInt32LE(crc, 2)
  trailer.writeUInt32LE(plainBytes % 2 ** 32, 6)
  return trailer
}

/**
 * Returns the CRC-32 of two concatenated pieces from their checksums. A checksum is a vector over GF(2); appending a
 * zero byte multiplies it by a matrix, and squaring that matrix gives its powers for any length (Adler, zlib
 * crc32_combine).
 */
export function combineCrc(first: number, second: number, secondBytes: number): number {
  let crc = first
  for (let length = secondBytes, i = 0; length > 0; length = Math.floor(length / 2), i++) {
    powers[i] ??= square(powers[i - 1])
    if (length % 2 === 1) crc = multiply(powers[i], crc)
  }
  return (crc ^ second) >>> 0
}

type Matrix = Uint32Array

/** Appends one zero bit. */
const BIT: Matrix = Uint32Array.from({ length: 32 }, (_, i) => (i === 0 ? 0xedb88320 : 2 ** (i - 1)))
/** Powers of the matrix that appends a zero byte: first, second, fourth and so on, extended on demand. */
const powers: Matrix[] = [square(square(square(BIT)))]

function square(matrix: Matrix): Matrix {
  return matrix.map((row) => multiply(matrix, row))
}

function multiply(matrix: Matrix, vector: number): number {
  let product = 0
  for (let i = 0; vector !== 0; i++, vector >>>= 1) if (vector & 1) product ^= matrix[i]
  return product >>> 0
}
