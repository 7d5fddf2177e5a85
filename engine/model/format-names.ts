/** Names of all formats of exports. */
export const FORMAT_NAMES = ['csv', 'ndjson', 'arrow', 'parquet', 'xlsx', 'csv-semicolon'] as const

export type FormatName = (typeof FORMAT_NAMES)[number]

/** Returns whether a spreadsheet would run a formula in a file of this format, so the guard applies. */
export function hasFormulas(format: FormatName): boolean {
  return format === 'csv' || format === 'csv-semicolon'
}

/** Returns whether a cell of this format can hold a list. */
export function holdsLists(format: FormatName): boolean {
  return format !== 'xlsx'
}
