import { numberAt, POINT } from '../text/parse-number.ts'

/**
 * Parses a JSON array of arrays of numbers, `[[1,2.5,null,true],…]`, tuple by tuple from bytes. `null` is NaN, `true`
 * 1, `false` 0.
 */
export type Tuples = {
  /** Values of the current tuple; only the first `count` are in use. */
  values: Float64Array
  count: number
  /** Advances to the next whole tuple; false at the end. */
  next: () => boolean
  /** State in which the text ended; valid once `next` has returned false. */
  end: 'whole' | 'cut' | 'broken'
}

const OPEN = 91
const CLOSE = 93
const COMMA = 44
const LAST_SPACE = 32
const [TRUE, FALSE, NULL] = [116, 102, 110]

export function readTuples(bytes: Uint8Array, start: number, end: number, mostValues: number): Tuples {
  const values = new Float64Array(mostValues)
  let at = start
  let isOpen = false

  const skipSpace = () => {
    while (at < end && bytes[at] <= LAST_SPACE) at++
  }
  const stop = (how: Tuples['end']): boolean => {
    tuples.end = at >= end && how === 'broken' ? 'cut' : how
    at = end
    return false
  }
  const next = (): boolean => {
    skipSpace()
    if (!isOpen) {
      if (at >= end || bytes[at] !== OPEN) return stop('broken')
      at++
      isOpen = true
      skipSpace()
    } else if (bytes[at] === COMMA) {
      at++
      skipSpace()
    } else if (bytes[at] !== CLOSE) return stop('broken')
    if (at < end && bytes[at] === CLOSE) return stop('whole')
    if (at >= end || bytes[at] !== OPEN) return stop('broken')
    at++
    let count = 0
    for (;;) {
      while (at < end && bytes[at] <= LAST_SPACE) at++
      const first = at
      while (at < end && bytes[at] !== COMMA && bytes[at] !== CLOSE) at++
      if (at >= end) return stop('cut')
      if (count < mostValues) values[count] = valueAt(bytes, first, at)
      if (at > first || bytes[at] === COMMA) count++
      if (bytes[at++] === CLOSE) break
    }
    tuples.count = Math.min(count, mostValues)
    return true
  }
  const tuples: Tuples = { values, count: 0, next, end: 'whole' }
  return tuples
}

function valueAt(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]
  if (first === TRUE) return 1
  if (first === FALSE) return 0
  return first === NULL ? Number.NaN : numberAt(bytes, start, end, POINT)
}
