import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import type { ParticipantColumns } from '../../model/study.ts'
import type { GivenParticipant } from '../../snapshot/table-columns.ts'
import { PARTICIPANT_TEXT_MAX } from './bundle-limits.ts'
import { type Cell, prose } from './parse-cell.ts'
import type { CsvRow } from './read-csv.ts'
import type { Columns } from './read-table.ts'

const PREFIX = 'external_data_'
const NAME = /^[A-Za-z0-9_]{1,64}$/
const NAMES_MAX = 100
const TAGS_MAX = 64
const TAG_CHARACTERS_MAX = 64

/** Parses tags in a cell: separated by commas, trimmed, without duplicates. */
export const tagList: Cell<string[]> = {
  rule: `must be at most ${TAGS_MAX} tags between commas, of at most ${TAG_CHARACTERS_MAX} characters each`,
  parse: (given) => {
    const trimmed = given.split(',').map((tag) => tag.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''))
    const tags = [...new Set(trimmed)].filter((tag) => tag !== '')
    const isShort = (tag: string) => tag.length <= TAG_CHARACTERS_MAX || [...tag].length <= TAG_CHARACTERS_MAX
    return tags.length <= TAGS_MAX && tags.every(isShort) ? tags : undefined
  },
}

/**
 * Finds the optional columns in the header of participants.csv.
 *
 * @param stored columns of the study to which the bundle is appended
 * @returns the columns to read, and the columns of the study including them
 */
export function furtherColumns(
  { cells, line }: CsvRow,
  file: string,
  stored: ParticipantColumns,
  problems: Problems,
): { columns: Columns; known: ParticipantColumns } {
  const report = (column: string | null, rule: string) =>
    addProblem(problems, { file, line, column, value: column, rule })
  const headers = [...new Set(cells.filter((name) => name.startsWith(PREFIX)))]
  const names = new Map(stored.externalData.map((name) => [name.toLowerCase(), name]))
  for (const header of headers) {
    const name = header.slice(PREFIX.length)
    const known = names.get(name.toLowerCase())
    if (!NAME.test(name)) report(header, `must be ${PREFIX} and 1 to 64 letters, digits or _`)
    else if (known === undefined) names.set(name.toLowerCase(), name)
    else if (known !== name) report(header, `must not differ from ${PREFIX}${known} in case alone`)
  }
  if (names.size > NAMES_MAX)
    report(null, `must give the study at most ${NAMES_MAX} columns of ${PREFIX}…, not ${names.size}`)
  return {
    columns: Object.fromEntries(headers.map((header) => [header, prose])),
    known: { hasTags: stored.hasTags || cells.includes('tags'), externalData: [...names.values()].sort() },
  }
}

/** Rule that `hasBoundedText` checks. */
export const TEXT_RULE = `must have at most ${PARTICIPANT_TEXT_MAX.toLocaleString('en')} characters of text together`

/**
 * Returns true if all texts of a participant together are within the limit, since every row of an export repeats them.
 */
export function hasBoundedText(participant: GivenParticipant): boolean {
  const { externalId, displayName, displayGender, notes, tags, externalData } = participant
  const texts = [externalId, displayName, displayGender, notes, ...tags, ...Object.values(externalData)]
  return texts.reduce((sum, { length }) => sum + length, 0) <= PARTICIPANT_TEXT_MAX
}

/** Returns the external data in a row, without empty values. */
export function externalDataOf(row: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(row).filter(([column, value]) => column.startsWith(PREFIX) && value !== '')
  return Object.fromEntries(given.map(([column, value]) => [column.slice(PREFIX.length), value as string]))
}
