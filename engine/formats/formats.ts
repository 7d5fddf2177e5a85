import type { FormatName } from '../model/format-names.ts'

/** A format that an export may be written in: the same rows, as text or with types. */
export type Format = {
  name: FormatName
  title: string
  /** Extension of file names, without a dot. */
  extension: string
  /** The Content-Type that is sent. */
  contentType: string
  /** Names of it in `Accept`, if there are any; the first is the official one. */
  mediaTypes: string[]
  /** True if a gzip version is worth its disk space; Parquet is encoded by dictionaries already. */
  hasTwin: boolean
  /** Upper bound of bytes per byte of CSV, for the estimate. */
  bytesPerCsvByte: number
  /** Upper bound of the bytes that a file without rows has, for the estimate. */
  frameBytes: number
  /** True for lines of text that a terminal can show. */
  isText: boolean
}

export const CSV: Format = {
  name: 'csv',
  title: 'CSV',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  mediaTypes: ['text/csv'],
  hasTwin: true,
  bytesPerCsvByte: 1,
  frameBytes: 1024,
  isText: true,
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
    frameBytes: 5120,
    isText: true,
  },
  {
    name: 'arrow',
    title: 'Arrow IPC file',
    extension: 'arrow',
    contentType: 'application/vnd.apache.arrow.file',
    mediaTypes: ['application/vnd.apache.arrow.file'],
    hasTwin: true,
    bytesPerCsvByte: 3,
    frameBytes: 3072,
    isText: false,
  },
  {
    name: 'parquet',
    title: 'Parquet',
    extension: 'parquet',
    contentType: 'application/vnd.apache.parquet',
    mediaTypes: ['application/vnd.apache.parquet'],
    hasTwin: false,
    bytesPerCsvByte: 1,
    frameBytes: 1024,
    isText: false,
  },
  {
    name: 'xlsx',
    title: 'Excel workbook (XLSX)',
    extension: 'xlsx',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    hasTwin: false,
    bytesPerCsvByte: 2,
    // Its second sheet describes each column.
    frameBytes: 65_536,
    isText: false,
  },
  {
    ...CSV,
    name: 'csv-semicolon',
    title: 'CSV with semicolons and decimal commas',
    // Of its own, since clients find a format by the ending of a file.
    extension: 'semicolon.csv',
    // Its media type is that of CSV, so `Accept` cannot name it.
    mediaTypes: [],
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
  frameBytes: 1024,
  isText: false,
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
