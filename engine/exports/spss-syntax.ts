import type { Column, ColumnType } from '../model/columns.ts'
import { distinctNames } from '../text/distinct-names.ts'
import type { ExportEntry } from './columns/export-entry.ts'

/** Maximum bytes of an SPSS variable name, and of a label. */
const NAME_BYTES_MAX = 64
const LABEL_BYTES_MAX = 255

/** SPSS formats. SPSS stores strings of a fixed width and truncates longer texts. */
const FORMATS: Record<ColumnType, string> = {
  uuid: 'A36',
  string: 'A1024',
  url: 'A2048',
  datetime: 'A64',
  json: 'A32767',
  boolean: 'A5',
  int: 'F12.0',
  number: 'F20.6',
}

/**
 * Returns SPSS syntax that reads the CSV of an export: variables with types, labels and missing values.
 *
 * @param columns of the study
 * @param file name of the CSV, relative to the syntax file
 */
export function spssSyntax({ title, rowPer }: ExportEntry, columns: Column[], file: string): string {
  const names = spssNames(columns)
  const lines = (each: (column: Column, name: string) => string) => columns.map((column, c) => each(column, names[c]))
  const known = columns.flatMap(({ type, missing }, c) =>
    (type === 'int' || type === 'number') && missing ? [`MISSING VALUES ${names[c]} (${missing}).`] : [],
  )
  return [
    comment(`${title}: one row per ${rowPer}.`),
    comment('Change to the folder of the file first, for example: CD "C:\\data".'),
    comment(`Texts longer than their format below (such as ${FORMATS.string}, in bytes) are cut by SPSS.`),
    'SET DECIMAL=DOT.',
    'GET DATA',
    '  /TYPE=TXT',
    `  /FILE=${quoted(file)}`,
    "  /ENCODING='UTF8'",
    '  /ARRANGEMENT=DELIMITED',
    "  /DELIMITERS=','",
    `  /QUALIFIER='"'`,
    '  /FIRSTCASE=2',
    '  /VARIABLES=',
    `${lines(({ type }, name) => `    ${name} ${FORMATS[type]}`).join('\n')}.`,
    'VARIABLE LABELS',
    `${lines((column, name) => `  ${name} ${quoted(labelOf(column))}`).join('\n')}.`,
    ...known,
    'EXECUTE.',
    '',
  ].join('\n')
}

/** Comments must not contain a line that ends with a period, which would end them. */
function comment(text: string): string {
  return `* ${text.replace(/\s+/g, ' ')}`
}

function quoted(text: string): string {
  return `'${text.replace(/\s+/g, ' ').replaceAll("'", "''")}'`
}

function labelOf({ meaning, unit }: Column): string {
  return cut(unit === '' ? meaning : `${meaning} (${unit})`, LABEL_BYTES_MAX)
}

/** Truncates a text to so many bytes of UTF-8. */
function cut(text: string, bytesMax: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > bytesMax) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Returns unique column names that SPSS accepts: letters, digits and `_`, beginning with a letter. */
function spssNames(columns: Column[]): string[] {
  const bases = columns.map(({ name }) => {
    const plain = name.replace(/[^\p{L}\p{N}_]+/gu, '_')
    return plain.replace(/^[^\p{L}]+/u, '').replace(/_+$/, '') || 'column'
  })
  return distinctNames(bases, (base, n) =>
    n === 1 ? cut(base, NAME_BYTES_MAX) : `${cut(base, NAME_BYTES_MAX - 8)}_${n}`,
  )
}
