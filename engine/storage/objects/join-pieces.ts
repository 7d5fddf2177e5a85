import type { Piece } from './object-store.ts'

type Copy = Exclude<Piece, Uint8Array>

/**
 * Smallest part that S3 accepts, except for the last. Copies have at most 5 GiB, and an upload has at most 10,000
 * parts.
 */
export const PART_MIN_BYTES = 5 << 20
/** Bytes to keep at hand of a piece to be copied: enough to send it as bytes, or to fill up the part before it. */
const AT_HAND_BYTES = 2 * PART_MIN_BYTES
/**
 * Size of copied parts relative to sent ones. The time of a copy grows with its length, so several in parallel are
 * faster than one.
 */
const COPY_FACTOR = 8

/**
 * Returns the size of a part in bytes, by its number from 0. Sizes grow late, so that 10,000 parts are 586 GiB, and
 * those of an object up to 39 GiB are equal, as R2 wants them.
 */
function partBytes(index: number): number {
  return (16 << 20) << Math.floor(index / 2500)
}

/**
 * Cuts pieces of any length into parts that S3 accepts. Adjacent bytes are joined, and so are adjacent copies. A piece
 * to be copied is sent as bytes where it is too short for a part, or where it fills up the part before it.
 *
 * @param pieces are copied before the next is asked for
 * @param read returns the bytes of a piece that would be copied
 * @param spare memory of parts that have been sent, for the next ones
 * @returns parts that are at least 5 MiB but the last; none for no bytes. Bytes are of memory of their own.
 */
export async function* joinPieces(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  read: (piece: Copy) => AsyncIterable<Uint8Array>,
  spare: Uint8Array[] = [],
): AsyncGenerator<Piece> {
  let pending: Buffer = EMPTY
  let pendingBytes = 0
  let index = 0
  const flush = (): Uint8Array => {
    const part = pending.subarray(0, pendingBytes)
    pending = EMPTY
    pendingBytes = 0
    index++
    return part
  }
  function* add(bytes: Uint8Array): Generator<Uint8Array> {
    for (let from = 0; from < bytes.length; ) {
      const fullBytes = partBytes(index)
      if (pendingBytes === pending.length) pending = enlarged(pending, fullBytes, spare)
      const taken = bytes.subarray(from, from + pending.length - pendingBytes)
      // Copies as memory is copied, also what threads share; `set` would go through that byte by byte.
      pending.fill(taken, pendingBytes, pendingBytes + taken.length)
      pendingBytes += taken.length
      from += taken.length
      if (pendingBytes === fullBytes) yield flush()
    }
  }
  for await (const piece of joinCopies(pieces)) {
    if (piece instanceof Uint8Array) {
      yield* add(piece)
      continue
    }
    const { copyOf, start: first, end, bytes: atHand = new Uint8Array(0) } = piece
    let start = first
    /** Takes the piece's bytes up to a position, from memory as far as they are at hand. */
    async function* take(to: number): AsyncGenerator<Uint8Array> {
      yield* add(atHand.subarray(start - first, to - first))
      start = Math.min(to, Math.max(start, first + atHand.length))
      if (start < to) for await (const bytes of read({ copyOf, start, end: to })) yield* add(bytes)
      start = to
    }
    // Bytes before it become a part with what it begins with, if there is enough of it.
    const missing = pendingBytes === 0 ? 0 : Math.max(0, PART_MIN_BYTES - pendingBytes)
    if (end - start >= missing + PART_MIN_BYTES) {
      yield* take(start + missing)
      if (pendingBytes > 0) yield flush()
      while (end - start >= PART_MIN_BYTES) {
        const most = COPY_FACTOR * partBytes(index)
        const length = end - start < 2 * most ? Math.min(end - start, most + PART_MIN_BYTES) : most
        yield { copyOf, start, end: start + length }
        index++
        start += length
      }
    }
    yield* take(end)
  }
  if (pendingBytes > 0) yield flush()
}

const EMPTY = Buffer.alloc(0)
/**
 * Initial size of a buffer. Most objects are small, and V8 collects garbage for memory that is allocated and not used.
 */
const FIRST_BYTES = 64 << 10

/** Returns a larger buffer with the pending bytes: a spare one of a full part, or one of four times the size. */
function enlarged(pending: Buffer, fullBytes: number, spare: Uint8Array[]): Buffer {
  const known = spare.pop()
  const length = Math.min(fullBytes, Math.max(FIRST_BYTES, 4 * pending.length))
  const memory = known?.length === fullBytes ? (known as Buffer) : Buffer.allocUnsafeSlow(length)
  pending.copy(memory)
  return memory
}

/** Joins copies of adjacent ranges, and keeps only the bytes that may have to be sent. */
async function* joinCopies(pieces: AsyncIterable<Piece> | Iterable<Piece>): AsyncGenerator<Piece> {
  let open: Copy | null = null
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const piece of pieces) {
    const isNext = open && !(piece instanceof Uint8Array) && piece.copyOf === open.copyOf && piece.start === open.end
    if (open && !isNext) {
      yield { ...open, bytes: Buffer.concat(held) }
      open = null
    }
    if (piece instanceof Uint8Array) {
      yield piece
      continue
    }
    const { copyOf, start, end, bytes = new Uint8Array(0) } = piece
    if (open === null) {
      open = { copyOf, start, end }
      held = [Buffer.from(bytes)]
      heldBytes = bytes.length
      continue
    }
    if (heldBytes === open.end - open.start && heldBytes < AT_HAND_BYTES) {
      held.push(Buffer.from(bytes))
      heldBytes += bytes.length
    }
    open.end = end
  }
  if (open) yield { ...open, bytes: Buffer.concat(held) }
}
