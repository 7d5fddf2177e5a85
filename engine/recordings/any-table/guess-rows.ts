import { ioHubMessages } from '../hdf5/iohub-text.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { TableHead } from '../text/foreign-table.ts'
import { isInHdf5 } from '../text/part-text.ts'
import type { SourceFile } from '../text/source-files.ts'
import { plainName } from './column-names.ts'
import { guessColumns } from './guess-columns.ts'
import { findMessages, type OwnMessages, repeatedPattern } from './guess-messages.ts'
import { readTableValues } from './guess-values.ts'

/** Which rows are samples, the messages in other rows, and the pattern by which messages name items. */
export type GuessedRows = {
  rows: Mapping['rows']
  messages: OwnMessages | null
  itemMessage: string | null
  doubts: string[]
}

/** Guesses which rows of a table are samples: by columns that programs write, by messages, or by the eye of a row. */
export async function guessRows(file: SourceFile, table: TableHead): Promise<GuessedRows> {
  const byName = guessColumns(table.header)
  const known = knownRows(table)
  const messages = findMessages(table, byName, known)
  const itemMessage = messages?.itemMessage ?? (isInHdf5(file) ? repeatedPattern(await ioHubMessages(file)) : null)
  const rows = known ?? messages?.rows ?? null
  const said = messages?.doubts ?? []
  if (byName.eye >= 0 && rows === null) {
    const { eyesOfRows } = await readTableValues(file, byName, null)
    const ofEye = rowsOfEye(table.header[byName.eye], eyesOfRows)
    if (ofEye !== null) return { ...ofEye, messages, itemMessage, doubts: [...said, ...ofEye.doubts] }
  }
  return { rows, messages, itemMessage, doubts: [...said, ...doubtsOfRows(rows)] }
}

/**
 * Columns by which programs distinguish samples from rows of messages, events and other sensors, and their values for
 * samples.
 */
const ROW_KINDS: { column: RegExp; values: string[] | null }[] = [
  // SMI's IDF Converter and BeGaze.
  { column: /^type$/, values: ['SMP'] },
  { column: /^category_group$/, values: ['Eye'] },
  { column: /^sensor$/, values: ['Eye Tracker'] },
  // iMotions, whose other sensors have rows of their own.
  { column: /^et_time_signal$/, values: null },
  // Zep.
  { column: /^type$/, values: ['GAZE_SAMPLE'] },
  // PsychoPy's ioHub.
  { column: /^type$/, values: ['BinocularEyeSampleEvent'] },
  { column: /^type$/, values: ['MonocularEyeSampleEvent'] },
  { column: /^type$/, values: ['EyeSampleEvent'] },
]

function knownRows({ header, rows }: TableHead): Mapping['rows'] {
  for (const { column, values } of ROW_KINDS) {
    const at = header.findIndex((name) => column.test(plainName(name)))
    if (at < 0) continue
    const texts = rows.map((cells) => (cells[at] ?? '').trim())
    if (values === null ? texts.includes('') && texts.some((text) => text !== '') : texts.includes(values[0]))
      return { column: header[at], values }
  }
  return null
}

function doubtsOfRows(rows: Mapping['rows']): string[] {
  if (rows === null) return []
  const which = rows.values === null ? 'is not empty' : `is ${rows.values.join(', ')}`
  return [`only rows whose ${rows.column} ${which} are taken to be samples`]
}

/** Proposes the rows of one eye for tables in which each eye has its own row: a mapping reads one row per sample. */
function rowsOfEye(column: string, eyes: string[]): Pick<GuessedRows, 'rows' | 'doubts'> | null {
  if (eyes.length === 0) return null
  const [taken] = eyes
  const doubt = `each eye has rows of its own, as ${column} says (${eyes.join(', ')}): only those whose ${column} is ${taken} are taken; name the other in rows, or put both eyes into one row, to take their mean`
  return { rows: { column, values: [taken] }, doubts: [doubt] }
}
