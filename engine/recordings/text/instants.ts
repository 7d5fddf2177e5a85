import type { TableRows } from './table-rows.ts'

const [ZERO, NINE, DASH, SLASH, COLON, POINT, COMMA, SPACE, T, Z] = [48, 57, 45, 47, 58, 46, 44, 32, 84, 90]
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

/**
 * Parses a date and time, such as `2024-03-01 10:00:00.016667`, `2024-03-01T10:00:00,5+01:00` or
 * `01.03.2024 10:00:00,016`, or a time of day, such as `10:00:00.016`, or minutes and seconds with a fraction, such as
 * `01:30.016`.
 *
 * @returns ms since 1970, or since midnight or the start; a date without a zone counts as UTC; NaN for anything else
 */
function instantAt(bytes: Uint8Array, start: number, end: number): number {
  while (start < end && bytes[start] === SPACE) start++
  while (start < end && bytes[end - 1] === SPACE) end--
  let [at, dayMs] = [start, 0]
  const isDayFirst = bytes[start + 2] === POINT && bytes[start + 5] === POINT
  if (isDayFirst || bytes[start + 4] === DASH || bytes[start + 4] === SLASH) {
    const [yearAt, monthAt, dayAt] = isDayFirst ? [at + 6, at + 3, at] : [at, at + 5, at + 8]
    const [year, month, day] = [digits(bytes, yearAt, 4), digits(bytes, monthAt, 2), digits(bytes, dayAt, 2)]
    const isDate = (isDayFirst || bytes[at + 7] === bytes[at + 4]) && month >= 1 && month <= 12 && day >= 1 && day <= 31
    if (!isDate || Number.isNaN(year)) return Number.NaN
    dayMs = Date.UTC(year, month - 1, day)
    at += 11
    if (at >= end || (bytes[at - 1] !== SPACE && bytes[at - 1] !== T)) return Number.NaN
  }
  const isShort = dayMs === 0 && bytes[at + 2] === COLON && (bytes[at + 5] === POINT || bytes[at + 5] === COMMA)
  const hours = isShort ? 0 : digits(bytes, at, 2)
  if (!isShort && bytes[at + 2] !== COLON) return Number.NaN
  if (!isShort) at += 3
  const [minutes, seconds] = [digits(bytes, at, 2), digits(bytes, at + 3, 2)]
  if (at + 5 > end || bytes[at + 2] !== COLON) return Number.NaN
  at += 5
  let [fraction, scale] = [0, 1000]
  if (at < end && (bytes[at] === POINT || bytes[at] === COMMA)) {
    for (at++; at < end && bytes[at] >= ZERO && bytes[at] <= NINE; at++) {
      scale /= 10
      fraction += (bytes[at] - ZERO) * scale
    }
  }
  const zoneMs = at === end ? 0 : zoneAt(bytes, at, end)
  return dayMs + hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1000 + Math.round(fraction * 1e6) / 1e6 - zoneMs
}

/** Parses digits; NaN if there is anything else. */
function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = bytes[i] - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** Parses `Z`, `+01:00` or `+0100`. */
function zoneAt(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === Z && at + 1 === end) return 0
  const sign = bytes[at] === DASH ? -1 : 1
  const colon = bytes[at + 3] === COLON ? 1 : 0
  if (end !== at + 5 + colon || (sign === 1 && bytes[at] !== 43)) return Number.NaN
  return sign * (digits(bytes, at + 1, 2) * HOUR_MS + digits(bytes, at + 3 + colon, 2) * MINUTE_MS)
}

/** Parses a cell as `instantAt` does. */
export function cellInstant({ bytes, starts, ends }: TableRows, cell: number): number {
  return cell < 0 ? Number.NaN : instantAt(bytes, starts[cell], ends[cell])
}

const DAY_MS = 24 * HOUR_MS
/** Least difference between the times of day of two rows, in ms, by which midnight lies between them. */
const ACROSS_MIDNIGHT_MS = 22 * HOUR_MS

/**
 * Opens a reader of cells that parses them as `cellInstant` does; times of day run on past midnight, from row to row.
 */
export function openInstants(cell: number): (rows: TableRows) => number {
  let [dayMs, last] = [0, Number.NaN]
  return (rows) => {
    const time = cellInstant(rows, cell)
    if (!(time >= 0 && time < DAY_MS)) return time
    if (last - time >= ACROSS_MIDNIGHT_MS) dayMs += DAY_MS
    else if (time - last >= ACROSS_MIDNIGHT_MS && dayMs > 0) dayMs -= DAY_MS
    last = time
    return dayMs + time
  }
}

/** Parses a text as `instantAt` does. */
export function instantIn(text: string): number {
  const bytes = Buffer.from(text)
  return instantAt(bytes, 0, bytes.length)
}

/** Returns whether most cells of the first rows that are not empty are dates with times, or times of day. */
export function holdsInstants(rows: string[][], at: number): boolean {
  const texts = rows.map((cells) => (cells[at] ?? '').trim()).filter((text) => text !== '')
  return texts.length > 0 && 2 * texts.filter((text) => !Number.isNaN(instantIn(text))).length > texts.length
}
