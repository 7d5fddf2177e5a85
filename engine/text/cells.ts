/** Formats cells that are written once per test, item or file: identities, names, headers. docs/export-formats.md. */

/**
 * Encodes text as UTF-8 in memory that many short texts share, since an ArrayBuffer for each takes longer than
 * encoding.
 */
export function encode(text: string): Uint8Array {
  return Buffer.from(text)
}

/** Quotes a cell only if RFC 4180 requires it. */
export function quote(text: string, separator: ',' | ';' = ','): string {
  return (separator === ',' ? /[",\r\n]/ : /[";\r\n]/).test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats a number with at most six decimals, as in files; '' for null. */
export function fractionText(value: number | null): string {
  if (value === null) return ''
  const scaled = Math.floor(Math.abs(value) * 1e6 + 0.5)
  const digits = BigInt(scaled).toString().padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  const sign = value < 0 && scaled > 0 ? '-' : ''
  return `${sign}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Rounds to six decimals as in files, halves away from zero: the result is the number that a reader of the printed cell
 * gets.
 */
export function roundToPrinted(value: number): number {
  const scaled = Math.floor(Math.abs(value) * 1e6 + 0.5)
  // Adding 0 turns -0 into 0.
  return (value < 0 ? -scaled : scaled) / 1e6 + 0
}

/** Returns the same as `roundToPrinted`, for JSON: null for NaN and null. */
export function printedOrNull(value: number | null): number | null {
  return value === null || Number.isNaN(value) ? null : roundToPrinted(value)
}

/** Returns numbers by name as `printedOrNull` does. */
export function printedEach<Name extends string>(values: Record<Name, number | null>): Record<Name, number | null> {
  const printed = Object.entries<number | null>(values).map(([name, value]) => [name, printedOrNull(value)])
  return Object.fromEntries(printed) as Record<Name, number | null>
}

/** Returns a number for JSON: null for NaN, which means unknown. */
export function knownOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
