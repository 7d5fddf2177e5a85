import { ServiceError } from '../model/errors.ts'
import type { FormatName } from '../model/format-names.ts'

/** A file format for exports: the same rows, as text or typed. */
export type ExportFormat = {
  name: FormatName
  title: string
  /** File name extension, without a dot. */
  extension: string
  /** Value of the Content-Type header. */
  contentType: string
  /** Names in `Accept`, if any; the first is the official one. */
  mediaTypes: string[]
  /** True if a gzip variant is worth its disk space; Parquet is already compact. */
  hasGzip: boolean
  /** Upper bound of the bytes per byte of CSV, for size estimates. */
  bytesPerCsvByte: number
  /** Upper bound of the size of a file without rows, in bytes, for size estimates. */
  frameBytes: number
  /** Largest number of rows besides the header, if there is a limit. */
  rowsMax?: number
  /** True for lines of text that a terminal can display. */
  isText: boolean
  /** True if programs read several files of it as one table. */
  hasParts: boolean
  /** True if its files hold each text of a column once, and rows refer to it. */
  hasDictionaries?: boolean
}

export const CSV: ExportFormat = {
  name: 'csv',
  title: 'CSV',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  mediaTypes: ['text/csv'],
  hasGzip: true,
  bytesPerCsvByte: 1,
  frameBytes: 1024,
  isText: true,
  hasParts: true,
}

export const FORMATS: ExportFormat[] = [
  CSV,
  {
    name: 'ndjson',
    title: 'NDJSON, one object per line',
    extension: 'ndjson',
    contentType: 'application/x-ndjson',
    mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
    hasGzip: true,
    // Every row repeats all names.
    bytesPerCsvByte: 5,
    frameBytes: 5120,
    isText: true,
    hasParts: true,
  },
  {
    name: 'arrow',
    title: 'Arrow IPC file',
    extension: 'arrow',
    contentType: 'application/vnd.apache.arrow.file',
    mediaTypes: ['application/vnd.apache.arrow.file'],
    hasGzip: true,
    bytesPerCsvByte: 3,
    frameBytes: 3072,
    isText: false,
    hasParts: true,
    hasDictionaries: true,
  },
  {
    name: 'parquet',
    title: 'Parquet',
    extension: 'parquet',
    contentType: 'application/vnd.apache.parquet',
    mediaTypes: ['application/vnd.apache.parquet'],
    hasGzip: false,
    bytesPerCsvByte: 1,
    frameBytes: 1024,
    isText: false,
    hasParts: true,
  },
  {
    name: 'xlsx',
    title: 'Excel workbook (XLSX)',
    extension: 'xlsx',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    hasGzip: false,
    bytesPerCsvByte: 2,
    // The second sheet describes each column.
    frameBytes: 65_536,
    // A worksheet has 2^20 rows (Excel specifications and limits).
    rowsMax: 1_048_575,
    isText: false,
    hasParts: false,
  },
  {
    ...CSV,
    name: 'csv-semicolon',
    title: 'CSV with semicolons and decimal commas',
    // An extension of its own, since clients find a format by the file's extension.
    extension: 'semicolon.csv',
    // The media type is that of CSV, so `Accept` cannot select it.
    mediaTypes: [],
  },
]

/** Returns the format of a plan's file: that of a table, or of a package. */
export type FileFormat = Omit<ExportFormat, 'name'> & {
  name: FormatName | 'zip'
  /** True if its bytes also depend on the version of zlib. */
  usesZlib?: boolean
}

const ZIP: FileFormat = {
  name: 'zip',
  usesZlib: true,
  title: 'ZIP',
  extension: 'zip',
  contentType: 'application/zip',
  mediaTypes: ['application/zip'],
  hasGzip: false,
  bytesPerCsvByte: 1,
  frameBytes: 1024,
  isText: false,
  hasParts: false,
}

/** Finds a format by name. */
export function findFormat(name: string): ExportFormat | undefined {
  return FORMATS.find((format) => format.name === name)
}

/** Returns the format of a plan; CSV if the plan has none. */
export function formatOf(plan: { format?: FileFormat['name'] }): FileFormat {
  if (plan.format === 'zip') return ZIP
  return FORMATS.find(({ name }) => name === plan.format) ?? CSV
}

/** Refuses more rows than a file can hold. @throws ServiceError format_limit */
export function checkRows({ name, rowsMax = Number.POSITIVE_INFINITY }: FileFormat, rows: number): void {
  if (rows <= rowsMax) return
  throw new ServiceError(
    'format_limit',
    `the table has more rows than the ${rowsMax.toLocaleString('en')} that ${name.toUpperCase()} holds: choose another format, or fewer tests`,
  )
}
