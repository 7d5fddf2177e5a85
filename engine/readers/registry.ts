import { ServiceError } from '../model/errors.ts'
import { nearest } from '../model/parameters.ts'
import { bids } from './bids.ts'
import { eyelink } from './eyelink.ts'
import { foreignBinary } from './foreign-binaries.ts'
import { gazepoint } from './gazepoint.ts'
import { generic, missingColumns } from './generic.ts'
import { gorilla } from './gorilla.ts'
import { jspsych } from './jspsych.ts'
import { labvanced } from './labvanced.ts'
import { pupil } from './pupil.ts'
import type { Reader, ReadOptions } from './reader.ts'
import { referencePlatform } from './reference-platform.ts'
import type { SourceFile } from './source-files.ts'
import { tableHead } from './table.ts'
import { tobii } from './tobii.ts'

/** Every format that can be read. Where two recognise a file, the first has it. */
export const READERS: Reader[] = [
  generic,
  referencePlatform,
  tobii,
  pupil,
  eyelink,
  gazepoint,
  jspsych,
  gorilla,
  labvanced,
  bids,
]

export function findReader(name: string): Reader {
  const reader = READERS.find((one) => one.name === name)
  if (reader) return reader
  const names = READERS.map((one) => one.name)
  const near = nearest(name, names).nearest
  throw new ServiceError(
    'usage',
    near ? `there is no format ${name}; did you mean ${near}?` : `there is no format ${name}: ${names.join(', ')}`,
  )
}

/**
 * The format of the files, and those that hold recordings.
 *
 * @param format to read them as, if the person has said so
 * @throws ServiceError usage when there is none or more than one, in a sentence that says how to go on
 */
export function recognise(
  files: SourceFile[],
  options: ReadOptions,
  format: string | null,
): { reader: Reader; recordings: SourceFile[] } {
  if (files.length === 0) throw new ServiceError('usage', 'there are no files in the folder')
  const isMapped = options.mapping !== null
  if (isMapped && format !== null && format !== generic.name)
    throw new ServiceError('usage', `a mapping is for tables of no known format: give --mapping or --format ${format}`)
  const readers = isMapped ? [generic] : format === null ? READERS : [findReader(format)]
  const found = new Map<Reader, SourceFile[]>()
  for (const file of files) {
    const reader = readers.find((one) => one.recognises(file, options))
    if (reader) found.set(reader, [...(found.get(reader) ?? []), file])
  }
  if (found.size > 1) {
    const which = [...found].map(([{ name, title }, [first]]) => `${first.name} (${title}: --format ${name})`)
    throw new ServiceError('usage', `the files are of several formats, to be read one by one: ${which.join(', ')}`)
  }
  for (const [reader, recordings] of found) return { reader, recordings }
  throw new ServiceError('usage', whyNot(files, options, format))
}

function whyNot(files: SourceFile[], { mapping }: ReadOptions, format: string | null): string {
  const binary = files.map(foreignBinary).find((sentence) => sentence !== null)
  if (binary) return binary
  const table = files.find((file) => tableHead(file) !== null)
  if (mapping !== null) {
    if (!table) return `${files[0].name} is no table of text, and so has no columns for the mapping`
    const missing = missingColumns(table, mapping)!
    return `${table.name} does not have the columns of the mapping: ${missing.join(', ')} is missing`
  }
  if (format !== null) return `none of the files is in the format ${format} (${findReader(format).title})`
  if (table) {
    const { header } = tableHead(table)!
    const shown = header.slice(0, 8).join(', ') + (header.length > 8 ? ', …' : '')
    return `${table.name} is a table (${shown}) of no format that is known here: make a mapping of its columns with gazette convert --guess`
  }
  return `${files[0].name} is of no format that is known here (${READERS.map(({ name }) => name).join(', ')})`
}
