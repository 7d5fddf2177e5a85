import { ServiceError } from '../../model/errors.ts'
import { nearest } from '../../model/nearest.ts'
import { generic } from '../any-table/any-table.ts'
import { guessColumns } from '../any-table/guess-columns.ts'
import { gorilla } from '../platforms/gorilla.ts'
import { jspsych } from '../platforms/jspsych.ts'
import { labvanced } from '../platforms/labvanced.ts'
import { psychopy } from '../platforms/psychopy.ts'
import { referencePlatform } from '../platforms/reference-platform.ts'
import { type Mapping, missingColumns } from '../reader/mapping.ts'
import type { Reader, ReadOptions } from '../reader/reader.ts'
import { derivedTable } from '../text/derived-tables.ts'
import { folderOf } from '../text/file-names.ts'
import { tableHead } from '../text/foreign-table.ts'
import { foreignText } from '../text/foreign-texts.ts'
import type { SourceFile } from '../text/source-files.ts'
import { bids } from '../trackers/bids.ts'
import { eyelink } from '../trackers/eyelink.ts'
import { gazepoint } from '../trackers/gazepoint.ts'
import { pupil } from '../trackers/pupil.ts'
import { tobii } from '../trackers/tobii.ts'
import { foreignBinary } from './foreign-binaries.ts'

/** Lists every readable format. If two recognise a file, the first one reads it. */
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
  psychopy,
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

/** Files that a format recognised. */
export type Recognised = {
  reader: Reader
  recordings: SourceFile[]
  /** Tables that were computed from recordings, by kind. */
  derived: Map<string, SourceFile[]>
}

/**
 * Finds the format of the files, and those that hold recordings.
 *
 * @param format format chosen by the user; null to detect it
 * @throws ServiceError usage, in a sentence that says how to proceed, if no format or more than one matches
 */
export function recognise(files: SourceFile[], options: ReadOptions, format: string | null): Recognised {
  if (files.length === 0) throw new ServiceError('usage', 'there are no files in the folder')
  const isMapped = options.mapping !== null
  if (isMapped && format !== null && format !== generic.name)
    throw new ServiceError('usage', `a mapping is for tables of no known format: give --mapping or --format ${format}`)
  if (!isMapped && format === generic.name) throw new ServiceError('usage', 'a table of samples needs --mapping FILE')
  const readers = isMapped ? [generic] : format === null ? READERS : [findReader(format)]
  const found = new Map<Reader, SourceFile[]>()
  const derived = new Map<string, SourceFile[]>()
  for (const file of files) {
    const what = derivedTable(file)
    if (what !== null) derived.set(what, [...(derived.get(what) ?? []), file])
    const reader = what === null && readers.find((one) => one.recognises(file, options))
    if (reader) found.set(reader, [...(found.get(reader) ?? []), file])
  }
  if (found.size > 1) {
    const which = [...found].map(([{ name, title }, [first]]) => `${first.name} (${title}: --format ${name})`)
    throw new ServiceError(
      'usage',
      `the files are of several formats: ${which.join(', ')}; read them one by one, or only one of them if they hold the same recordings`,
    )
  }
  for (const [reader, recordings] of found) {
    refuseUnheeded(reader, options)
    return { reader, recordings, derived }
  }
  throw new ServiceError('usage', whyNot(files, derived, options, format))
}

/** Refuses an option that the format would ignore. @throws ServiceError usage */
function refuseUnheeded({ title, heeds = [] }: Reader, { messages, events = null, hasAois, kept }: ReadOptions): void {
  if (kept.tags.length + kept.externalData.length > 0 && !heeds.includes('kept'))
    throw new ServiceError(
      'usage',
      `--tags and --external-data are for tables with a row per sample and for jsPsych, and these files are of ${title}`,
    )
  if (messages !== null && !heeds.includes('messages'))
    throw new ServiceError('usage', `patterns of messages are for EyeLink ASC files, and these are of ${title}`)
  if (events !== null && !heeds.includes('events'))
    throw new ServiceError('usage', `--event-message is for formats with messages, and ${title} has none`)
  if (hasAois && !heeds.includes('hasAois'))
    throw new ServiceError('usage', `--aois is for the zones of Gorilla, and these files are of ${title}`)
}

function whyNot(
  files: SourceFile[],
  derived: Map<string, SourceFile[]>,
  { mapping }: ReadOptions,
  format: string | null,
): string {
  const bundles = files.filter(({ name }) => /(^|\/)study\.json$/.test(name)).map(({ name }) => folderOf(name))
  const inBundle = files.filter(({ name }) => bundles.includes(folderOf(name)))
  if (inBundle.length === files.length) return `${bundles[0]} is a study bundle: give that folder alone`
  const known = new Set([...derived.values(), inBundle].flat())
  const tables = files.flatMap((file) => {
    const header = known.has(file) ? undefined : tableHead(file)?.header
    return header ? [{ name: file.name, header }] : []
  })
  const like = tables.find(({ header }) => isLikeSamples(header))
  if (mapping !== null && tables.length > 0) return missingIn(tables, mapping)
  for (const [what, [first]] of like ? [] : derived)
    return `${first.name} is one of the ${what}: give the recordings, a row per sample, instead`
  const binary = like ? undefined : files.map(foreignBinary).find((sentence) => sentence !== null)
  if (binary) return binary
  if (mapping !== null) return `${files[0].name} is not a table of text, and so has no columns for the mapping`
  const text = files.map(foreignText).find((sentence) => sentence !== null)
  if (text) return text
  const table = like ?? tables[0]
  const which = format === null ? '' : `none of the files is in the format ${format} (${findReader(format).title})`
  if (table) {
    const rest =
      format === null ? ' of no known format: make a mapping of its columns with gazette convert --guess' : ''
    return `${which === '' ? '' : `${which}; `}${table.name} is a table (${columnList(table.header)})${rest}`
  }
  if (format !== null) return which
  return `${files[0].name} is of no known format (${READERS.map(({ name }) => name).join(', ')})`
}

const [COLUMNS_SHOWN, NAME_SHOWN] = [12, 60]

function columnList(header: string[]): string {
  const shown = header.slice(0, COLUMNS_SHOWN).map((name) => name.replace(/\s+/g, ' ').slice(0, NAME_SHOWN))
  return shown.join(', ') + (header.length > COLUMNS_SHOWN ? ', …' : '')
}

function isLikeSamples(header: string[]): boolean {
  const { time, eyes } = guessColumns(header)
  return time >= 0 && eyes.length > 0
}

/** Lists the missing columns of the table that lacks the fewest, and the columns that it has. */
function missingIn(tables: { name: string; header: string[] }[], mapping: Mapping): string {
  const [{ name, header, missing }] = tables
    .map((table) => ({ ...table, missing: missingColumns(table.header, mapping) }))
    .sort((a, b) => a.missing.length - b.missing.length)
  return `${name} does not have the columns of the mapping: ${missing.join(', ')} is missing; it has ${columnList(header)}`
}
