import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import type { ParticipantColumns } from '../../model/study.ts'
import { type GivenParticipant, NO_COLUMNS } from '../../snapshot/table-columns.ts'
import { PARTICIPANTS_MAX } from './bundle-limits.ts'
import { flagCell, instant, name, prose, uuid, wholeNumber } from './parse-cell.ts'
import { externalDataOf, furtherColumns, hasBoundedText, TEXT_RULE, tagList } from './participant-columns.ts'
import type { CsvRow } from './read-csv.ts'
import { readTable, type Table, type TableRow } from './read-table.ts'

/** Rules for the cells of a participant. */
export const PARTICIPANT_CELLS = {
  participant_id: uuid,
  external_id: name,
  created_at: instant,
  display_name: name,
  age: wholeNumber(0, 150),
  gender: wholeNumber(0, 2),
  display_gender: name,
  quality_grade: wholeNumber(1, 6),
  is_completed: flagCell,
  notes: prose,
  tags: tagList,
}

/** `columns` are those of the study with this table; `ids` is null if the table could not be read. */
export type ParticipantsRead = {
  participants: GivenParticipant[]
  ids: Set<string> | null
  columns: ParticipantColumns
}

/**
 * Reads participants.csv.
 *
 * @param stored ids that an appended bundle may not contain again
 * @returns the valid rows, and every id, including those of invalid rows; null ids if the file could not be read, so
 *   that no other file reports unknown participants
 */
export async function readParticipantTable(
  table: Table,
  stored: Set<string>,
  problems: Problems,
  storedColumns: ParticipantColumns = NO_COLUMNS,
): Promise<ParticipantsRead> {
  const participants: GivenParticipant[] = []
  const lines = new Map<string, number>()
  const { file } = table
  const bounded = { ...table, maxRows: PARTICIPANTS_MAX - stored.size }
  let columns = storedColumns
  const further = (header: CsvRow) => {
    const found = furtherColumns(header, file, storedColumns, problems)
    columns = found.known
    return found.columns
  }
  const onRow = (row: TableRow<typeof PARTICIPANT_CELLS>, line: number, isWhole: boolean) => {
    const id = row.participant_id
    if (id === undefined) return
    const first = lines.get(id)
    if (first !== undefined || stored.has(id)) {
      const rule =
        first === undefined ? 'must be new, but the study has it' : `must be unique, but line ${first} has it`
      addProblem(problems, { file, line, column: 'participant_id', value: id, rule })
      return
    }
    lines.set(id, line)
    if (!isWhole) return
    const participant = participantOfRow(row)
    if (hasBoundedText(participant)) participants.push(participant)
    else addProblem(problems, { file, line, column: null, value: null, rule: TEXT_RULE })
  }
  const isRead = await readTable(bounded, PARTICIPANT_CELLS, problems, onRow, further)
  return { participants, ids: isRead ? new Set([...stored, ...lines.keys()]) : null, columns }
}

/** Converts a valid row to a participant. */
export function participantOfRow(row: TableRow<typeof PARTICIPANT_CELLS>): GivenParticipant {
  return {
    id: row.participant_id!,
    externalId: row.external_id!,
    createdAt: row.created_at!,
    displayName: row.display_name!,
    age: row.age!,
    gender: row.gender as 0 | 1 | 2 | null,
    displayGender: row.display_gender!,
    qualityGrade: row.quality_grade!,
    isCompleted: row.is_completed ?? false,
    notes: row.notes!,
    tags: row.tags!,
    externalData: externalDataOf(row),
  }
}
