import { expect, test } from 'vitest'
import { fileFormat } from '../../bin/output/file-format.ts'
import type { FormatName } from '../../engine/model/format-names.ts'

test.each<[FormatName, FormatName | undefined, string | undefined]>([
  ['csv', undefined, undefined],
  ['csv', undefined, 'table.csv'],
  ['csv', undefined, '/dev/stdout'],
  ['csv', undefined, 'run-2024.11.26'],
  ['xlsx', undefined, 'Table.XLSX'],
  ['parquet', undefined, 's3://bucket/lab/table.parquet?region=eu-central-1'],
  ['csv-semicolon', undefined, 'table.semicolon.csv'],
  ['csv-semicolon', 'csv-semicolon', 'table.csv'],
  ['csv', 'csv', 'table.txt'],
  ['arrow', 'arrow', 'table.feather'],
  ['ndjson', 'ndjson', 'table'],
  ['parquet', 'parquet', undefined],
])('the format is %s if --format is %s and the file is %s', (format, given, output) => {
  expect(fileFormat(given, output)).toBe(format)
})

test.each<[FormatName | undefined, string, string]>([
  ['csv', 't.xlsx', 't.xlsx would hold csv, but its name ends as that of xlsx: change the name or --format'],
  ['xlsx', 't.csv', 't.csv would hold xlsx, but its name ends as that of csv: change the name or --format'],
  [
    'csv',
    't.semicolon.csv',
    't.semicolon.csv would hold csv, but its name ends as that of csv-semicolon: change the name or --format',
  ],
  [
    undefined,
    't.csv.gz',
    'the ending of t.csv.gz names no format: end it in one of .csv, .ndjson, .arrow, .parquet, .xlsx, .semicolon.csv, or add --format',
  ],
])('no file gets a name that belies its format: --format %s -o %s', (given, output, message) => {
  expect(() => fileFormat(given, output)).toThrow(message)
})
