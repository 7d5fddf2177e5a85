/** Times of day as RFC 3339 with offset, kept as text and compared as instants at full precision. */
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** An instant: whole seconds since 1970 and the digits of its fraction, without trailing zeros. */
type InstantKey = { seconds: number; fraction: string }

export function isInstant(text: string): boolean {
  return instantKey(text) !== null
}

/**
 * Parses an RFC 3339 time with offset; null for anything else. A leap second becomes the first second of the next
 * minute.
 */
export function instantKey(text: string): InstantKey | null {
  const match = INSTANT.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const date = new Date(0)
  // Not Date.UTC, which interprets the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  if (month < 1 || month > 12 || day < 1 || date.getUTCMonth() !== month - 1) return null
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -1 : 1)
  const seconds = date.getTime() / 1000 + (hour * 60 + minute - offset) * 60 + second
  return { seconds, fraction: withoutZeros(match[7] ?? '') }
}

/** Removes trailing zeros; a regular expression would restart at each run of zeros. */
function withoutZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** Compares instants for sorting; null, for a missing time, comes last. */
export function compareInstants(a: InstantKey | null, b: InstantKey | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  if (a.seconds !== b.seconds) return a.seconds - b.seconds
  return a.fraction < b.fraction ? -1 : a.fraction > b.fraction ? 1 : 0
}
