/** An invalid video; `message` is the rule that it breaks, to follow the file's name. */
export class VideoFault extends Error {}

/** Reads a range of a file; the result is shorter only at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>

/** A file whose headers are read, with a limit on the number of parts. */
export type VideoReader = {
  sizeBytes: number
  /** Returns so many bytes. @throws VideoFault if the file ends before them */
  at: (offset: number, length: number) => Promise<Buffer>
  /** Counts a part. @throws VideoFault if there are too many */
  count: () => void
}

/** Largest number of parts, three times those of five minutes at 60 frames a second. */
const PARTS_MAX = 200_000
const WINDOW_BYTES = 4096

/** Rule that a truncated file breaks. */
export const CUT_SHORT = 'must be whole: it ends before its parts do'

/** Opens a file for reading in windows, since headers lie close to each other. */
export function reader(read: ReadAt, sizeBytes: number): VideoReader {
  let window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }
  let parts = 0
  return {
    sizeBytes,
    at: async (offset, length) => {
      const isInside = offset >= window.start && offset + length <= window.start + window.bytes.length
      if (!isInside) window = { start: offset, bytes: await read(offset, Math.max(length, WINDOW_BYTES)) }
      const start = offset - window.start
      if (start + length > window.bytes.length) throw new VideoFault(CUT_SHORT)
      return window.bytes.subarray(start, start + length)
    },
    count: () => {
      if (++parts > PARTS_MAX) throw new VideoFault(`must have at most ${PARTS_MAX} parts`)
    },
  }
}
