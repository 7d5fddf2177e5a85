import type { Piece } from './object-store.ts'

type Copy = Exclude<Piece, Uint8Array>

/** S3 takes no part below 5 MiB but the last, and copies 5 GiB at most at a time; parts are 10,000 at most. */
export const PART_MIN_BYTES = 5 << 20
/**
 * Enough of what would be copied for a part that it is too short for, and for one that bytes before it are completed
 * to.
 */
const AT_HAND_BYTES = 2 * PART_MIN_BYTES
/** A copy takes the store as long as it is, so that several at once are faster than one. */
const COPY_FACTOR = 8

/**
 * Returns the size of a part in bytes, by its number from 0. Sizes grow late, so that 10,000 parts are 586 GiB, and
 * those of an object up to 39 GiB are equal, as R2 wants them.
 */
function partBytes(index: number): number {
  return (16 << 20) << Math.floor(index / 2500)
}

/**
 * Cuts pieces of any length into parts as S3 takes them. Bytes are joined, and copies of neighbouring bytes, too; what
 * would be copied is sent where it is too small to be a part, or where bytes before it are.
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
    /** Takes bytes of the piece, up to a place in it, from memory as far as they are there. */
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
/** Most objects are small, and memory that is asked for and not used has V8 collect garbage as well. */
const FIRST_BYTES = 64 << 10

/**
 * Returns memory that begins with what is pending: that of a full part which is spare, else four times as much as it
 * has.
 */
function enlarged(pending: Buffer, fullBytes: number, spare: Uint8Array[]): Buffer {
  const known = spare.pop()
  const length = Math.min(fullBytes, Math.max(FIRST_BYTES, 4 * pending.length))
  const memory = known?.length === fullBytes ? (known as Buffer) : Buffer.allocUnsafeSlow(length)
  pending.copy(memory)
  return memory
}

/** Joins copies of bytes that lie one behind the other, and keeps of those at hand only what may have to be sent. */
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
