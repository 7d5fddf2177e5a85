import type { Piece } from './object-store.ts'

/** S3 takes no part below 5 MiB but the last, and copies 5 GiB at most at a time; parts are 10,000 at most. */
const PART_MIN_BYTES = 5 << 20
const COPY_MAX_BYTES = 2 ** 30

/**
 * How large the bytes of a part are, by its number from 0. They grow late, so that 10,000 of them are 586 GiB, and those of an object
 * up to 39 GiB are equal, as R2 wants them.
 */
function partBytes(index: number): number {
  return (16 << 20) << Math.floor(index / 2500)
}

/**
 * Cuts pieces of any length into parts as S3 takes them. Bytes are joined, and what would be copied is read where it is too small to be
 * a part, or where bytes before it are.
 *
 * @param read returns the bytes of a piece that would be copied
 * @returns parts that are at least 5 MiB but the last; none for no bytes. Bytes are of memory of their own.
 */
export async function* joinPieces(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  read: (piece: Exclude<Piece, Uint8Array>) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Piece> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let index = 0
  const flush = (): Uint8Array => {
    const part = Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    index++
    return part
  }
  function* add(bytes: Uint8Array): Generator<Uint8Array> {
    for (let from = 0; from < bytes.length; ) {
      const taken = bytes.slice(from, from + partBytes(index) - pendingBytes)
      pending.push(taken)
      pendingBytes += taken.length
      from += taken.length
      if (pendingBytes === partBytes(index)) yield flush()
    }
  }
  for await (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield* add(piece)
      continue
    }
    const { copyOf, end } = piece
    let { start } = piece
    // Bytes before it become a part with what it begins with, if there is enough of it.
    const missing = pendingBytes === 0 ? 0 : Math.max(0, PART_MIN_BYTES - pendingBytes)
    if (end - start >= missing + PART_MIN_BYTES) {
      if (missing > 0) for await (const bytes of read({ copyOf, start, end: start + missing })) yield* add(bytes)
      if (pendingBytes > 0) yield flush()
      start += missing
      while (end - start >= PART_MIN_BYTES) {
        const length =
          end - start < 2 * COPY_MAX_BYTES ? Math.min(end - start, COPY_MAX_BYTES + PART_MIN_BYTES) : COPY_MAX_BYTES
        yield { copyOf, start, end: start + length }
        index++
        start += length
      }
    }
    if (start < end) for await (const bytes of read({ copyOf, start, end })) yield* add(bytes)
  }
  if (pendingBytes > 0) yield flush()
}
