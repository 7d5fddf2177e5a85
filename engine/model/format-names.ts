/** The names of all formats that an export may be written in. */
export const FORMAT_NAMES = ['csv', 'ndjson', 'arrow', 'parquet', 'xlsx', 'csv-semicolon'] as const

export type FormatName = (typeof FORMAT_NAMES)[number]

/** Returns whether a spreadsheet would run a formula in a file of this format, so that the guard applies to it. */
export function hasFormulas(format: FormatName): boolean {
  return format === 'csv' || format === 'csv-semicolon'
}
