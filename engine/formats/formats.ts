import type { FormatName } from '../model/format-names.ts'

/** What an export may be written as: the same rows, as text or with types. */
export type Format = {
  name: FormatName
  title: string
  /** Of file names, without a dot. */
  extension: string
  /** As it is sent. */
  contentType: string
  /** What a client may call it in `Accept`; the first is its own name. */
  mediaTypes: string[]
  /** Whether a gzip twin is worth its place: not for what is compressed inside. */
  hasTwin: boolean
  /** At most so many bytes for one of CSV, for the estimate. */
  bytesPerCsvByte: number
}

export const CSV: Format = {
  name: 'csv',
  title: 'CSV',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  mediaTypes: ['text/csv'],
  hasTwin: true,
  bytesPerCsvByte: 1,
}

export const FORMATS: Format[] = [
  CSV,
  {
    name: 'ndjson',
    title: 'NDJSON, an object a line',
    extension: 'ndjson',
    contentType: 'application/x-ndjson',
    mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
    hasTwin: true,
    // Every row has all names.
    bytesPerCsvByte: 5,
  },
  {
    name: 'arrow',
    title: 'Arrow IPC file',
    extension: 'arrow',
    contentType: 'application/vnd.apache.arrow.file',
    mediaTypes: ['application/vnd.apache.arrow.file'],
    hasTwin: true,
    bytesPerCsvByte: 3,
  },
  {
    name: 'parquet',
    title: 'Parquet',
    extension: 'parquet',
    contentType: 'application/vnd.apache.parquet',
    mediaTypes: ['application/vnd.apache.parquet'],
    hasTwin: false,
    bytesPerCsvByte: 1,
  },
]

export function findFormat(name: string): Format | undefined {
  return FORMATS.find((format) => format.name === name)
}

/** The format of a plan; a plan without one is of CSV. */
export function formatOf(plan: { format?: FormatName }): Format {
  return FORMATS.find(({ name }) => name === plan.format) ?? CSV
}
