const DAY_MS = 86_400_000
/** Serial numbers of 1970-01-01. */
const [EPOCH_1900, EPOCH_1904] = [25_569, 24_107]

/** Meaning of a number by its format; only dates and times matter. */
export type NumberKind = 'number' | 'date' | 'time'

/**
 * Classifies a number format as date, as time of day or duration, or as number, by Excel's built-in ids and by format
 * codes.
 */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return 'time'
    return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'date' : 'number'
  }
  // Durations are in brackets; anything else in brackets or quotes, or after a backslash, is decoration.
  const plain = code
    .replace(/\[(h+|m+|s+)\]/gi, '$1')
    .replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')
    .toLowerCase()
  if (plain === 'general' || !/[ymdhs]/.test(plain)) return 'number'
  return /[yd]/.test(plain) || !/[hs]/.test(plain) ? 'date' : 'time'
}

/**
 * Formats a number of days as a date and time, or as a time, to the ms: `2024-03-01T10:00:00.000`, or `0:00:12.500`.
 */
export function dateText(days: number, kind: 'date' | 'time', is1904: boolean): string {
  const ms = Math.round(days * DAY_MS)
  if (kind === 'time') {
    const part = (unitMs: number, of: number) => String(Math.floor(ms / unitMs) % of).padStart(2, '0')
    return `${Math.floor(ms / 3_600_000)}:${part(60_000, 60)}:${part(1000, 60)}.${String(ms % 1000).padStart(3, '0')}`
  }
  const date = new Date(ms - (is1904 ? EPOCH_1904 : EPOCH_1900) * DAY_MS)
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString().slice(0, -1)
}

/** Formats a text as a cell of a line: line breaks and tabs become spaces, quotes are doubled. */
export function cellOf(text: string): string {
  const plain = text.includes('_x')
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
  // Zero bytes would be taken for damage.
  const line = /[\t\r\n\0]/.test(plain) ? plain.replace(/[\t\r\n\0]+/g, ' ') : plain
  return line.includes('"') ? `"${line.replaceAll('"', '""')}"` : line
}
