import type { DuckDBConnection, DuckDBScalarFunction } from '@duckdb/node-api'
import { duckDbLibrary } from './duckdb.ts'

/**
 * Implements `LIKE` in time linear in the text. DuckDB's own implementation tries every position for every `%`, which
 * is exponential in their number, and checks for interruption only every 2,048 rows. The pattern is split at each `%`
 * into segments. The first must match at the beginning of the text, the last at its end, and each other one at its
 * leftmost position after the one before: if the rest does not match after that, it matches nowhere.
 */

/** Code points of a segment; ANY for `_`. */
type Segment = number[]
const ANY = -1

const FUNCTION = 'like_by_segments'

/**
 * Returns SQL that is true if a whole text matches a pattern: `%` matches any run of characters, `_` one character;
 * there is no escape character.
 *
 * @param text SQL of the text
 * @param bind binds a value, and returns its SQL
 */
export function likeSql(text: string, pattern: string, bind: (value: string) => string): string {
  const segments = segmentsOf(pattern)
  if (segments.length === 1 && !segments[0].includes(ANY)) return `(${text} = ${bind(pattern)})`
  if (!isForRe2(segments)) return `${FUNCTION}(${text}, ${bind(pattern)})`
  return `regexp_full_match(${text}, '(?s)${segments.map(regexOf).join('.*')}')`
}

const RE2_SIGNS_MAX = 100

/**
 * Returns true if RE2 matches the segments with a small automaton. With a `_` after a `%`, the automaton would have to
 * track every set of positions at which a segment may have begun; for long segments, it takes 30 ms for a text of 1,000
 * characters.
 */
function isForRe2([, ...behind]: Segment[]): boolean {
  const signs = behind.flat()
  return signs.length <= RE2_SIGNS_MAX && !signs.includes(ANY)
}

/**
 * Writes a segment as a regular expression for RE2, only with characters that we generate, so it is safe inside SQL and
 * compiled once.
 */
function regexOf(segment: Segment): string {
  return segment.map((code) => (code === ANY ? '.' : `\\x{${code.toString(16)}}`)).join('')
}

/**
 * Splits a pattern at each `%`. `%_` means the same as `_%`, so the text after the first `%` begins with a character or
 * is empty.
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

/** Maps half of a surrogate pair to the character that DuckDB makes of it. */
function codeOf(sign: string): number {
  const code = sign.codePointAt(0)!
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
}

/** Returns a function that tells whether a whole text matches a pattern. */
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
 * Returns a function that finds the leftmost match of a segment in codes, from `from` to `end`, and returns the end of
 * the match; -1 for none. Each code takes one step per 32 characters of the segment (Baeza-Yates and Gonnet, 1992,
 * shift-and): bit i of the state is set if the last i + 1 codes match the first i + 1 of the segment.
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

/** Registers the functions that `likeSql` needs. DuckDB calls them on this thread, while the query waits. */
export function registerLike(connection: DuckDBConnection): DuckDBScalarFunction {
  const { BOOLEAN, DuckDBScalarFunction, VARCHAR } = duckDbLibrary()
  let known = { pattern: '', matches: likeMatcher('') }
  const like = DuckDBScalarFunction.create({
    name: FUNCTION,
    returnType: BOOLEAN,
    parameterTypes: [VARCHAR, VARCHAR],
    mainFunction: (_info, input, output) => {
      // The pattern is a bound value, so it is the same in each row.
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
