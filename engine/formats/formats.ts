import type { FormatName } from '../model/format-names.ts'

/** A format that an export may be written in: the same rows, as text or with types. */
export type Format = {
  name: FormatName
  title: string
  /** Extension of file names, without a dot. */
  extension: string
  /** The Content-Type that is sent. */
  contentType: string
  /** Names of it in `Accept`; the first is the official one. */
  mediaTypes: string[]
  /** True if a gzip twin is worth its disk space; Parquet is encoded by dictionaries already. */
  hasTwin: boolean
  /** Upper bound of bytes per byte of CSV, for the estimate. */
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
    title: 'NDJSON, one object per line',
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

/** Format of a plan's file: a table's, or that of a package. */
export type FileFormat = Omit<Format, 'name'> & { name: FormatName | 'zip' }

const ZIP: FileFormat = {
  name: 'zip',
  title: 'ZIP',
  extension: 'zip',
  contentType: 'application/zip',
  mediaTypes: ['application/zip'],
  hasTwin: false,
  bytesPerCsvByte: 1,
}

/** Returns the format of that name, if there is one. */
export function findFormat(name: string): Format | undefined {
  return FORMATS.find((format) => format.name === name)
}

/** Returns the format of a plan; a plan without one is for CSV. */
export function formatOf(plan: { format?: FileFormat['name'] }): FileFormat {
  if (plan.format === 'zip') return ZIP
  return FORMATS.find(({ name }) => name === plan.format) ?? CSV
}
