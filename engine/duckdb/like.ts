import type { DuckDBConnection, DuckDBScalarFunction as ScalarFunction } from '@duckdb/node-api'
import { BOOLEAN, DuckDBScalarFunction, VARCHAR } from './duckdb.ts'

/**
 * Implements `LIKE` in time linear in the text: DuckDB's own tries every place for every `%`, which is exponential in
 * their number, and a query checks for interruption only after 2,048 rows.
 *
 * The pattern is cut at each `%` into segments. The first stands at the beginning of the text, the last at its end, and
 * each other one at its leftmost place behind the one before: if the rest does not fit there, it fits nowhere.
 */

/** Code points of a segment; ANY for `_`. */
type Segment = number[]
const ANY = -1

const FUNCTION = 'like_by_segments'

/**
 * Returns SQL that is true where all of a text matches a pattern: `%` is any run of characters, `_` one character,
 * nothing is escaped.
 *
 * @param text SQL of it
 * @param bind binds a value, and returns SQL of it
 */
export function likeSql(text: string, pattern: string, bind: (value: string) => string): string {
  const segments = segmentsOf(pattern)
  if (segments.length === 1 && !segments[0].includes(ANY)) return `(${text} = ${bind(pattern)})`
  if (!isForRe2(segments)) return `${FUNCTION}(${text}, ${bind(pattern)})`
  return `regexp_full_match(${text}, '(?s)${segments.map(regexOf).join('.*')}')`
}

const RE2_SIGNS_MAX = 100

/**
 * Returns true if RE2 matches segments by a small automaton. With a `_` behind a `%` it would have to remember every
 * set of places where a segment may have begun, and with long segments every one of them: it then takes 30 ms for a
 * text of 1,000 characters.
 */
function isForRe2([, ...behind]: Segment[]): boolean {
  const signs = behind.flat()
  return signs.length <= RE2_SIGNS_MAX && !signs.includes(ANY)
}

/** Writes a segment for RE2, in our own signs alone: so it may stand in SQL, and is compiled once. */
function regexOf(segment: Segment): string {
  return segment.map((code) => (code === ANY ? '.' : `\\x{${code.toString(16)}}`)).join('')
}

/**
 * Cuts a pattern at each `%`. `%_` means the same as `_%`: so what stands behind the first `%` begins with a character,
 * or is empty.
 */
function segmentsOf(pattern: string): Segment[] {
  const [first, ...rest] = pattern.split('%').map(codesOf)
  while (rest.length > 0 && rest.some((segment) => segment.length > 0)) {
    const next = rest.findIndex((segment) => segment.length > 0)
    const start = rest[next].findIndex((code) => code !== ANY)
    if (start === 0) break
    const moved = rest[next].splice(0, start < 0 ? rest[next].length : start)
    first.push(...moved)
  }
  const last = rest.pop()
  return last === undefined ? [first] : [first, ...rest.filter((segment) => segment.length > 0), last]
}

function codesOf(text: string): Segment {
  return Array.from(text, (sign) => (sign === '_' ? ANY : codeOf(sign)))
}

/** Half of a surrogate pair becomes what DuckDB makes of it. */
function codeOf(sign: string): number {
  const code = sign.codePointAt(0)!
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
}

/** Returns a function that says whether all of a text matches a pattern. */
export function likeMatcher(pattern: string): (text: string) => boolean {
  const segments = segmentsOf(pattern)
  const [first, last] = [segments[0], segments[segments.length - 1]]
  if (segments.length === 1)
    return (text) => {
      const codes = codesIn(text)
      return codes.length === first.length && isAt(first, codes, 0)
    }
  const finders = segments.slice(1, -1).map(finderOf)
  const least = segments.reduce((sum, segment) => sum + segment.length, 0)
  return (text) => {
    if (text.length < least) return false
    const codes = codesIn(text)
    const end = codes.length - last.length
    if (codes.length < least || !isAt(first, codes, 0) || !isAt(last, codes, end)) return false
    let from = first.length
    for (const find of finders) {
      from = find(codes, from, end)
      if (from < 0) return false
    }
    return true
  }
}

function codesIn(text: string): Uint32Array {
  const codes = new Uint32Array(text.length)
  let n = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!
    if (code > 0xffff) i++
    codes[n++] = code
  }
  return codes.subarray(0, n)
}

function isAt(segment: Segment, codes: Uint32Array, from: number): boolean {
  return segment.every((code, i) => code === ANY || code === codes[from + i])
}

const BITS = 32

/**
 * Returns a function that finds a segment's leftmost place in codes, `from` to `end`, and returns where the place ends;
 * -1 for none. Each code takes one step per 32 signs of the segment (Baeza-Yates and Gonnet, 1992, shift-and): bit i of
 * the state says that the last i + 1 codes are the segment's first ones.
 */
function finderOf(segment: Segment): (codes: Uint32Array, from: number, end: number) => number {
  const words = Math.ceil(segment.length / BITS)
  const anywhere = maskOf(segment, (code) => code === ANY)
  const masks = new Map(
    [...new Set(segment)].map((wanted) => [wanted, maskOf(segment, (code) => code === wanted || code === ANY)]),
  )
  const [lastWord, lastBit] = [words - 1, 1 << ((segment.length - 1) % BITS)]
  return (codes, from, end) => {
    const state = new Int32Array(words)
    for (let i = from; i < end; i++) {
      const mask = masks.get(codes[i]) ?? anywhere
      let carry = 1
      for (let word = 0; word < words; word++) {
        const next = state[word] >>> (BITS - 1)
        state[word] = ((state[word] << 1) | carry) & mask[word]
        carry = next
      }
      if ((state[lastWord] & lastBit) !== 0) return i + 1
    }
    return -1
  }
}

function maskOf(segment: Segment, isSet: (code: number) => boolean): Int32Array {
  const mask = new Int32Array(Math.ceil(segment.length / BITS))
  for (const [i, code] of segment.entries()) if (isSet(code)) mask[i >> 5] |= 1 << (i & (BITS - 1))
  return mask
}

/** Makes what `likeSql` needs known to a DuckDB. It is called on this thread, while the query waits. */
export function registerLike(connection: DuckDBConnection): ScalarFunction {
  let known = { pattern: '', matches: likeMatcher('') }
  const like = DuckDBScalarFunction.create({
    name: FUNCTION,
    returnType: BOOLEAN,
    parameterTypes: [VARCHAR, VARCHAR],
    mainFunction: (_info, input, output) => {
      // A pattern is a bound value, the same in each row.
      const pattern = String(input.getColumnVector(1).getItem(0))
      if (known.pattern !== pattern) known = { pattern, matches: likeMatcher(pattern) }
      const texts = input.getColumnVector(0)
      for (let row = 0; row < input.rowCount; row++) {
        const text = texts.getItem(row)
        output.setItem(row, text === null ? null : known.matches(String(text)))
      }
      output.flush()
    },
  })
  connection.registerScalarFunction(like)
  return like
}
