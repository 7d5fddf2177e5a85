/**
 * Parses numbers directly from bytes: the nearest double, as `Number` would give, without creating a string for usual
 * ones.
 */
const MINUS = 45
const PLUS = 43
const SPACE = 32

/** Powers of ten that are exact as doubles, so that one division rounds once. */
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Character code of the decimal mark. */
export type DecimalMark = 44 | 46
export const POINT: DecimalMark = 46
export const COMMA: DecimalMark = 44

/**
 * Parses the number in a range of `bytes`, with or without spaces around it; NaN for anything else, such as an empty
 * cell.
 */
export function numberAt(bytes: Uint8Array, start: number, end: number, decimalMark: DecimalMark): number {
  while (start < end && bytes[start] === SPACE) start++
  while (start < end && bytes[end - 1] === SPACE) end--
  let at = start
  const isNegative = bytes[at] === MINUS
  if (at < end && (isNegative || bytes[at] === PLUS)) at++
  const first = at
  let mantissa = 0
  let mark = -1
  for (; at < end; at++) {
    const digit = bytes[at] - 48
    if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit
    else if (bytes[at] === decimalMark && mark < 0) mark = at
    else return slowNumber(bytes, start, end, decimalMark)
  }
  const digits = end - first - (mark < 0 ? 0 : 1)
  if (digits <= 0) return Number.NaN
  if (digits > 15) return slowNumber(bytes, start, end, decimalMark)
  const value = mark < 0 ? mantissa : mantissa / POWERS_OF_TEN[end - mark - 1]
  return isNegative ? -value : value
}

function slowNumber(bytes: Uint8Array, start: number, end: number, decimalMark: DecimalMark): number {
  if (end - start > 64) return Number.NaN
  // Spreadsheets write other spaces, too, such as those that do not break.
  let text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    .toString()
    .trim()
  if (decimalMark === COMMA) text = text.includes('.') ? '' : text.replace(',', '.')
  return NUMBER.test(text) ? finite(Number(text)) : Number.NaN
}

/** Returns NaN for a number beyond the range of a double, such as 1e999: no measurement is that large. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN
}

/** Parses a number from text, as `numberAt` does from bytes. */
export function numberIn(text: string, decimalMark: DecimalMark = POINT): number {
  const trimmed = text.trim()
  const plain = decimalMark === COMMA ? (trimmed.includes('.') ? '' : trimmed.replace(',', '.')) : trimmed
  return NUMBER.test(plain) ? finite(Number(plain)) : Number.NaN
}

/**
 * Converts whole nanoseconds since 1970, which no double holds exactly, to ms after another such time.
 *
 * @param origin seconds and nanoseconds, as `nanosecondsAt` gives them
 */
export function msAfter(origin: Nanoseconds, { seconds, nanoseconds }: Nanoseconds): number {
  return (seconds - origin.seconds) * 1000 + (nanoseconds - origin.nanoseconds) / 1e6
}

export type Nanoseconds = { seconds: number; nanoseconds: number }

/** Parses whole nanoseconds; null for anything else. Each call returns a new object. */
export function nanosecondsIn(text: string): Nanoseconds | null {
  if (!/^\d{1,20}$/.test(text.trim())) return null
  const digits = text.trim().padStart(10, '0')
  return { seconds: Number(digits.slice(0, -9)), nanoseconds: Number(digits.slice(-9)) }
}

/** Parses whole nanoseconds from bytes, and converts them as `msAfter` does; NaN for anything but a whole number. */
export function msAfterAt(origin: Nanoseconds, bytes: Uint8Array, start: number, end: number): number {
  let seconds = 0
  let nanoseconds = 0
  const border = end - 9
  for (let at = start; at < end; at++) {
    const digit = bytes[at] - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    if (at < border) seconds = seconds * 10 + digit
    else nanoseconds = nanoseconds * 10 + digit
  }
  if (start === end) return Number.NaN
  return (seconds - origin.seconds) * 1000 + (nanoseconds - origin.nanoseconds) / 1e6
}
