import { measureJson } from '../../import/bundle/measure-json.ts'
import { ServiceError } from '../../model/errors.ts'
import { openText } from './open-text.ts'
import type { SourceFile } from './source-files.ts'

/** Largest object held in memory, in bytes, and its largest number of values: a million samples have three million. */
const OBJECT_MAX_BYTES = 1 << 26
const VALUES_MAX = 5_000_000
const DEPTH_MAX = 100
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [34, 92, 123, 125]

/**
 * Yields the outermost objects of JSON text one by one: the elements of an array, of arrays line by line, or of lines.
 * Each is parsed separately, so memory is bounded by the largest.
 *
 * @returns null for one that is invalid JSON; `isCut` is set on the last if the text ends inside it
 * @throws ServiceError invalid_bundle for one that is too large to hold in memory
 */
export async function* readJsonObjects(file: SourceFile): AsyncGenerator<{ value: unknown; isCut: boolean }> {
  let kept: Uint8Array[] = []
  let keptBytes = 0
  const scan = makeScan()
  for await (const bytes of openText(file)) {
    let start = scan.depth > 0 ? 0 : -1
    for (let at = scan.next(bytes, 0); at < bytes.length; at = scan.next(bytes, at + 1)) {
      if (start < 0) start = at
      else {
        kept.push(bytes.subarray(start, at + 1))
        yield { value: parse(Buffer.concat(kept), file), isCut: false }
        kept = []
        keptBytes = 0
        start = -1
      }
    }
    if (start < 0) continue
    // The stream may reuse its buffer.
    kept.push(bytes.slice(start))
    keptBytes += bytes.length - start
    if (keptBytes > OBJECT_MAX_BYTES) throw tooLarge(file)
  }
  if (scan.depth > 0) yield { value: null, isCut: true }
}

/**
 * Tracks objects and strings; `next` returns the position at which the next outermost object begins or ends, or the
 * length of the text if there is none.
 */
function makeScan() {
  let isInString = false
  let isEscaped = false
  const scan = {
    depth: 0,
    next: (bytes: Uint8Array, from: number): number => {
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at]
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isInString = false
        } else if (byte === QUOTE) isInString = scan.depth > 0
        else if (byte === OPEN) {
          if (scan.depth++ === 0) return at
        } else if (byte === CLOSE && scan.depth > 0 && --scan.depth === 0) return at
      }
      return bytes.length
    },
  }
  return scan
}

function parse(bytes: Buffer, file: SourceFile): unknown {
  if (holdsTooMuch(bytes)) throw tooLarge(file)
  return parseText(bytes.toString('utf8'))
}

/** Parses a JSON text; null for invalid JSON, or for one that would take too much memory. */
export function parseBounded(text: string): unknown {
  return holdsTooMuch(Buffer.from(text)) ? null : parseText(text)
}

function holdsTooMuch(bytes: Buffer): boolean {
  const { values, depth } = measureJson(bytes)
  return bytes.length > OBJECT_MAX_BYTES || values > VALUES_MAX || depth > DEPTH_MAX
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseWithNaN(text)
  }
}

/** Parses a JSON text in which lost numbers are NaN or infinite, as Python writes them; null for any other text. */
function parseWithNaN(text: string): unknown {
  const isInString = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g
  try {
    return JSON.parse(text.replace(isInString, (part) => (part.startsWith('"') ? part : 'null')))
  } catch {
    return null
  }
}

function tooLarge({ name }: SourceFile): ServiceError {
  const rule = `must have at most ${OBJECT_MAX_BYTES / 2 ** 20} MiB and ${VALUES_MAX.toLocaleString('en')} values`
  return new ServiceError('invalid_bundle', `${name} has an object that is too large to be read: one ${rule}`)
}
