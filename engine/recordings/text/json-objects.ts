import { openText } from './open-text.ts'
import type { SourceFile } from './source-files.ts'

/** The longest object that is held in memory. */
const OBJECT_MAX_BYTES = 1 << 28
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [34, 92, 123, 125]

/**
 * Yields the outermost objects of JSON text one by one: the elements of an array, of arrays line by line, or of lines.
 * Each is parsed by itself, so that memory is bounded by the largest.
 *
 * @returns null for one that is no JSON; `isCut` is set on the last when the text ends inside it
 */
export async function* readJsonObjects(file: SourceFile): AsyncGenerator<{ value: unknown; isCut: boolean }> {
  let kept: Uint8Array[] = []
  let keptBytes = 0
  let depth = 0
  let isInString = false
  let isEscaped = false
  for await (const bytes of openText(file)) {
    let start = depth > 0 ? 0 : -1
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (byte === QUOTE) isInString = depth > 0
      else if (byte === OPEN) {
        if (depth++ === 0) start = at
      } else if (byte === CLOSE && depth > 0 && --depth === 0) {
        kept.push(bytes.subarray(start, at + 1))
        yield { value: parse(kept), isCut: false }
        kept = []
        keptBytes = 0
        start = -1
      }
    }
    if (start >= 0) {
      // The stream may use its buffer again.
      kept.push(bytes.slice(start))
      keptBytes += bytes.length - start
      if (keptBytes > OBJECT_MAX_BYTES) break
    }
  }
  if (depth > 0) yield { value: null, isCut: true }
}

function parse(pieces: Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch {
    return null
  }
}
