import { ServiceError } from '../../model/errors.ts'
import { openText } from './open-text.ts'
import type { SourceFile } from './source-files.ts'

/**
 * Reads the lines of a text as positions in bytes, without LF or CRLF. Usage:
 *
 *     while (await lines.more()) while (lines.next()) …
 */
export type Lines = {
  bytes: Uint8Array
  start: number
  end: number
  /** True if the line has a line end, as all but the last must. */
  isWhole: boolean
  more: () => Promise<boolean>
  next: () => boolean
}

/** Longest line, in bytes; those of trackers have a few hundred. */
const LINE_MAX_BYTES = 1 << 20
const LF = 10
const CR = 13

export function openLines(file: SourceFile): Lines {
  const chunks = openText(file)
  let buffer = Buffer.alloc(0)
  let position = 0
  let isLast = false
  const lines: Lines = {
    bytes: buffer,
    start: 0,
    end: 0,
    isWhole: true,
    more: async () => {
      if (isLast) return false
      if (buffer.length - position > LINE_MAX_BYTES)
        throw new ServiceError('invalid_bundle', `${file.name} has a line of more than ${LINE_MAX_BYTES} bytes`)
      const { value, done } = await chunks.next()
      isLast = done === true
      buffer = Buffer.concat(done ? [buffer.subarray(position)] : [buffer.subarray(position), value])
      position = 0
      lines.bytes = buffer
      return buffer.length > 0 || !isLast
    },
    next: () => {
      if (position >= buffer.length) return false
      const found = buffer.indexOf(LF, position)
      if (found < 0 && !isLast) return false
      const end = found < 0 ? buffer.length : found
      lines.isWhole = found >= 0
      lines.start = position
      lines.end = end > position && buffer[end - 1] === CR ? end - 1 : end
      position = end + 1
      return true
    },
  }
  return lines
}

export function lineText({ bytes, start, end }: Lines): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}
