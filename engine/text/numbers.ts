/**
 * Writes numbers as ASCII digits directly into bytes, without strings in hot loops. Each function writes at `at` and
 * returns the end; the caller has reserved `NUMBER_BYTES`. Formats are those of docs/export-formats.md, "Numbers".
 */

/** Longest text of a number: a sign, 22 digits, a point and a fraction, or any double as `String` prints it. */
export const NUMBER_BYTES = 32

const MINUS = 45
const ZERO = 48

/** Packs up to four ASCII characters into one word, first character lowest, so that one store writes them all. */
export function word(text: string): number {
  let packed = 0
  for (let i = 0; i < text.length; i++) packed |= text.charCodeAt(i) << (8 * i)
  return packed
}

/** Words for 0 to 999: three digits; without leading zeros; three digits after a point. */
const THREE = Int32Array.from({ length: 1000 }, (_, i) => word(String(i).padStart(3, '0')))
const LEADING = Int32Array.from({ length: 1000 }, (_, i) => word(String(i)))
const POINT_THREE = Int32Array.from({ length: 1000 }, (_, i) => word(`.${String(i).padStart(3, '0')}`))

let viewed: Uint8Array = new Uint8Array(0)
let view: DataView = new DataView(viewed.buffer)

/**
 * Returns a view of these bytes as words, cached for the last buffer. A word may extend up to three bytes beyond a
 * number, within the reserved room.
 */
function wordsOf(bytes: Uint8Array): DataView {
  if (bytes !== viewed) {
    viewed = bytes
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  return view
}

/** Writes a whole number, |value| < 2^53. */
export function putInteger(bytes: Uint8Array, at: number, value: number): number {
  if (value < 0) {
    bytes[at++] = MINUS
    value = -value
  }
  return putNatural(bytes, at, value)
}

/** Writes µs as whole milliseconds, rounded once, halves up. */
export function putMilliseconds(bytes: Uint8Array, at: number, us: number): number {
  return putInteger(bytes, at, roundToMs(us))
}

/** Rounds µs to whole milliseconds, as printed. */
export function roundToMs(us: number): number {
  return Math.floor((us + 500) / 1000)
}

/** Writes a number with at most six decimals, halves away from zero, without trailing zeros, exponent or -0. */
export function putFraction(bytes: Uint8Array, at: number, value: number): number {
  const scaled = Math.floor(Math.abs(value) * 1e6 + 0.5)
  if (scaled > Number.MAX_SAFE_INTEGER) return putHugeFraction(bytes, at, value < 0, scaled)
  if (value < 0 && scaled > 0) bytes[at++] = MINUS
  // Nearly all numbers fit 31 bits and take integer arithmetic, which is several times faster than doubles.
  if (scaled <= INT32_MAX) {
    const millionths = scaled | 0
    const whole = (millionths / 1_000_000) | 0
    return putDecimals(bytes, putSmall(bytes, at, whole), millionths - whole * 1_000_000)
  }
  const whole = Math.floor(scaled / 1e6)
  at = putNatural(bytes, at, whole)
  return putDecimals(bytes, at, scaled - whole * 1e6)
}

/** Writes a percent in a JSON cell: rounded to six decimals, then as JSON.stringify prints it. */
export function putJsonPercent(bytes: Uint8Array, at: number, value: number): number {
  const scaled = Math.floor(Math.abs(value) * 1e6 + 0.5)
  // From 16 digits on, the nearest double may print with other digits.
  if (scaled >= 1e15) return putText(bytes, at, String((value < 0 ? -scaled : scaled) / 1e6))
  return putFraction(bytes, at, value)
}

/** Writes a recorded value in a JSON cell: as JSON.stringify prints it, -0 as 0. */
export function putJsonNumber(bytes: Uint8Array, at: number, value: number): number {
  const thousandths = Math.round(value * 1000)
  // A decimal of at most 15 digits is the shortest one for its double, so it is what JSON.stringify prints.
  if (thousandths / 1000 === value && thousandths < 1e15 && thousandths > -1e15)
    return putThousandths(bytes, at, thousandths)
  return putText(bytes, at, String(value))
}

/** Writes thousandths / 1000 with at most three decimals, without trailing zeros: µs as ms in a JSON cell. */
export function putThousandths(bytes: Uint8Array, at: number, thousandths: number): number {
  if (thousandths < 0) {
    bytes[at++] = MINUS
    thousandths = -thousandths
  }
  if (thousandths <= INT32_MAX) {
    const small = thousandths | 0
    const whole = (small / 1000) | 0
    return putThreeDecimals(bytes, putSmall(bytes, at, whole), small - whole * 1000)
  }
  const whole = Math.floor(thousandths / 1000)
  return putThreeDecimals(bytes, putNatural(bytes, at, whole), thousandths - whole * 1000)
}

const TRUE = word('true')
const FALS = word('fals')
const E = word('e')

/** Writes true or false. */
export function putBoolean(bytes: Uint8Array, at: number, value: boolean): number {
  wordsOf(bytes).setInt32(at, value ? TRUE : FALS, true)
  if (value) return at + 4
  bytes[at + 4] = E
  return at + 5
}

/** Writes text of ASCII characters. */
function putText(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
  return at
}

/** Writes a point and the six digits of `millionths` without trailing zeros; nothing for 0. */
function putDecimals(bytes: Uint8Array, at: number, millionths: number): number {
  const high = (millionths / 1000) | 0
  const low = (millionths | 0) - high * 1000
  if (low === 0) return putThreeDecimals(bytes, at, high)
  const words = wordsOf(bytes)
  words.setInt32(at, POINT_THREE[high], true)
  words.setInt32(at + 4, THREE[low], true)
  at += 7
  while (bytes[at - 1] === ZERO) at--
  return at
}

/** Writes a point and three digits without trailing zeros; nothing for 0. */
function putThreeDecimals(bytes: Uint8Array, at: number, thousandths: number): number {
  if (thousandths === 0) return at
  wordsOf(bytes).setInt32(at, POINT_THREE[thousandths], true)
  at += 4
  while (bytes[at - 1] === ZERO) at--
  return at
}

function putNatural(bytes: Uint8Array, at: number, value: number): number {
  if (value <= INT32_MAX) return putSmall(bytes, at, value | 0)
  const above = Math.floor(value / 1000)
  at = putNatural(bytes, at, above)
  return putThree(bytes, at, value - above * 1000)
}

const INT32_MAX = 2 ** 31 - 1

/** Writes a nonnegative whole number of at most 31 bits. */
function putSmall(bytes: Uint8Array, at: number, value: number): number {
  if (value < 1000) return putLeading(bytes, at, value)
  const thousands = (value / 1000) | 0
  if (thousands < 1000) {
    at = putLeading(bytes, at, thousands)
  } else {
    const millions = (thousands / 1000) | 0
    at = millions < 1000 ? putLeading(bytes, at, millions) : putSmall(bytes, at, millions)
    at = putThree(bytes, at, thousands - millions * 1000)
  }
  return putThree(bytes, at, value - thousands * 1000)
}

/** Writes 0 to 999 without leading zeros. */
function putLeading(bytes: Uint8Array, at: number, value: number): number {
  wordsOf(bytes).setInt32(at, LEADING[value], true)
  return at + (value >= 100 ? 3 : value >= 10 ? 2 : 1)
}

function putThree(bytes: Uint8Array, at: number, value: number): number {
  wordsOf(bytes).setInt32(at, THREE[value], true)
  return at + 3
}

/**
 * Writes a number of more than 2^53 millionths: values that the import accepts do not reach it, but a product of
 * extremes may.
 */
function putHugeFraction(bytes: Uint8Array, at: number, negative: boolean, scaled: number): number {
  const digits = BigInt(scaled).toString()
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return putText(bytes, at, `${negative ? '-' : ''}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`)
}
