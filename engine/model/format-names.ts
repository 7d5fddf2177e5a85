/** The names of all formats that an export may be written in. */
export const FORMAT_NAMES = ['csv', 'ndjson', 'arrow', 'parquet'] as const

export type FormatName = (typeof FORMAT_NAMES)[number]
